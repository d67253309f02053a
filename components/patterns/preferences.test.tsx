import { screen } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { Problem } from '@/lib/errors';
import { DEFAULT_PREFERENCES, preferenceContracts } from '@/lib/users/preferences/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt } from '@/scripts/testing/render';
import { usePreferences } from './preferences';

const api = fakeApi();

const Choices = () => {
  const { preferences, change } = usePreferences();
  const both = () => {
    change({ density: 'compact' });
    change({ hours: '12' });
  };
  return (
    <>
      <button type="button" onClick={both}>
        Both
      </button>
      <output>{`${preferences.density} ${preferences.hours}`}</output>
    </>
  );
};

it('keeps two changes of one moment, and undoes only the one that was not stored', async () => {
  api.answer(preferenceContracts.set, (change) => {
    if (change.density) throw new Problem('store_unavailable', 'Not stored.');
    return { preferences: { ...DEFAULT_PREFERENCES, ...change }, auditId: 'a' };
  });
  const { user } = renderAt('/', <Choices />);
  const shown = () => screen.getByRole('status').textContent;
  await user.click(screen.getByRole('button', { name: 'Both' }));
  await expect.poll(shown).toBe('comfortable 12');
});
