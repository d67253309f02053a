import { screen, waitFor, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { DEFAULT_PREFERENCES, preferenceContracts } from '@/lib/users/preferences/schema';
import { secondFactorContracts } from '@/lib/users/second-factor/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt } from '@/scripts/testing/render';
import { AccountPage } from './account-page';

const api = fakeApi();

const NO_FACTOR = {
  app: false,
  passkeys: [],
  recoveryCodes: 0,
  isRequired: false,
  atProvider: false,
  passkeysPossible: false,
};
beforeEach(() => api.answer(secondFactorContracts.get, NO_FACTOR));

it('stores each preference at once, and shows times accordingly', { tags: ['long'] }, async () => {
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

it('stores the language', { tags: ['long'] }, async () => {
  api.answer(preferenceContracts.set, (change) => ({
    preferences: { ...DEFAULT_PREFERENCES, ...change },
    auditId: 'a',
  }));
  const { user } = renderAt('/account', <AccountPage />);
  await user.click(screen.getByRole('combobox', { name: 'Language' }));
  await user.click(await screen.findByRole('option', { name: 'Русский' }));
  await waitFor(() => expect(api.asked(preferenceContracts.set)).toEqual([{ language: 'ru' }]));
});

it('offers only pages of the role as the first one', { tags: ['long'] }, async () => {
  const { user } = renderAt('/account', <AccountPage />, { role: 'viewer' });
  await user.click(screen.getByRole('combobox', { name: 'First page after signing in' }));
  await screen.findByRole('option', { name: 'Hit rates' });
  expect(screen.queryByRole('option', { name: 'Sessions' })).toBeNull();
});

it('sets up an authenticator app, and shows recovery codes once', { tags: ['long'] }, async () => {
  api.answer(secondFactorContracts.beginApp, {
    secret: 'ABCDEFGH',
    qr: { size: 1, path: 'M0 0h1v1h-1z' },
    token: 'sealed',
  });
  api.answer(secondFactorContracts.confirmApp, () => {
    api.answer(secondFactorContracts.get, { ...NO_FACTOR, app: true, recoveryCodes: 2 });
    return { auditId: 'a' };
  });
  api.answer(secondFactorContracts.createRecoveryCodes, { codes: ['aaaa-bbbb', 'cccc-dddd'], auditId: 'b' });
  const { user, fill } = renderAt('/account', <AccountPage />);
  await user.click(await screen.findByRole('button', { name: 'Set up an authenticator app' }));
  const drawer = within(await screen.findByRole('dialog'));
  await drawer.findByText('ABCDEFGH');
  await fill(drawer.getByLabelText(/^Code/), '123456');
  await fill(drawer.getByLabelText(/^Current password/), 'a-password-of-ten');
  await user.click(drawer.getByRole('button', { name: 'Confirm' }));
  const codes = await screen.findByTestId('recovery-codes');
  expect(codes.textContent).toBe('aaaa-bbbb\ncccc-dddd');
  expect(api.asked(secondFactorContracts.confirmApp)).toEqual([
    { token: 'sealed', code: '123456', password: 'a-password-of-ten' },
  ]);
  await user.click(screen.getByRole('button', { name: 'I stored the codes' }));
  await screen.findByText('2 recovery codes are left.');
});

it('leaves the second factor of a provider’s user to the provider', { tags: ['long'] }, async () => {
  api.answer(secondFactorContracts.get, { ...NO_FACTOR, atProvider: true });
  renderAt('/account', <AccountPage />);
  await screen.findByText(/your company’s provider/);
  expect(screen.queryByRole('button', { name: 'Set up an authenticator app' })).toBeNull();
});
