import { screen, waitFor } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { DEFAULT_PREFERENCES, preferenceContracts } from '@/lib/users/preferences/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt } from '@/scripts/testing/render';
import { AccountPage } from './account-page';

const api = fakeApi();

it('stores each preference at once, and shows times accordingly', async () => {
  api.answer(preferenceContracts.set, (change) => ({
    preferences: { ...DEFAULT_PREFERENCES, ...change },
    auditId: 'a',
  }));
  const { user } = renderAt(
    '/account',
    <>
      <AccountPage />
      <AbsoluteTime at="2026-01-01T12:00:00.000Z" />
    </>,
    { preferences: { timeZone: 'Asia/Tokyo' } },
  );
  screen.getByText('Times are shown in Asia/Tokyo.');
  screen.getByText(/Jan 1, 2026, 21:00:00/);
  await user.click(screen.getByRole('radio', { name: '12 hours' }));
  await screen.findByText(/09:00:00 PM/);
  await user.click(screen.getByRole('radio', { name: 'Compact' }));
  await waitFor(() =>
    expect(api.asked(preferenceContracts.set)).toEqual([{ hours: '12' }, { density: 'compact' }]),
  );
});

it('stores the language', async () => {
  api.answer(preferenceContracts.set, (change) => ({
    preferences: { ...DEFAULT_PREFERENCES, ...change },
    auditId: 'a',
  }));
  const { user } = renderAt('/account', <AccountPage />);
  await user.click(screen.getByRole('combobox', { name: 'Language' }));
  await user.click(await screen.findByRole('option', { name: 'Русский' }));
  await waitFor(() => expect(api.asked(preferenceContracts.set)).toEqual([{ language: 'ru' }]));
});

it('offers only pages of the role as the first one', async () => {
  const { user } = renderAt('/account', <AccountPage />, { role: 'viewer' });
  await user.click(screen.getByRole('combobox', { name: 'First page after signing in' }));
  await screen.findByRole('option', { name: 'Hit rates' });
  expect(screen.queryByRole('option', { name: 'Sessions' })).toBeNull();
});
