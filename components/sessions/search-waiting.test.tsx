import { screen } from '@testing-library/react/pure';
import { afterEach, expect, it, vi } from 'vitest';
import Sessions from '@/app/(console)/[connection]/sessions/page';
import { sessionContracts } from '@/lib/sessions/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { FakeLocks } from '@/scripts/testing/fake-locks';
import { renderAt } from '@/scripts/testing/render';

const api = fakeApi();
afterEach(() => void vi.restoreAllMocks());

it('waits while two searches run in other tabs of the browser, and says so', { tags: ['long'] }, async () => {
  const locks = new FakeLocks();
  const releases: (() => void)[] = [];
  for (const name of ['keyward search 1', 'keyward search 2'])
    void locks.request(name, {}, () => new Promise<void>((resolve) => releases.push(resolve)));
  vi.spyOn(navigator, 'locks', 'get').mockReturnValue(locks as unknown as LockManager);
  api.answer(sessionContracts.stats, {
    sessions: 2,
    users: 1,
    byState: null,
    oauth: [],
    verifications: [],
    oauthStates: 0,
    countedAt: new Date().toISOString(),
    counting: false,
  });
  api.tell(sessionContracts.search, [{ event: 'end', data: { reason: 'complete' } }] as never);
  const { user } = renderAt('/demo/sessions?name=e2e', <Sessions />, { role: 'support' });
  await screen.findByText('Waiting: two searches run in other tabs of this browser.', {
    selector: '[data-testid]',
  });
  expect(api.asked(sessionContracts.search)).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await user.click(await screen.findByRole('button', { name: 'Search again' }));
  releases[1]!();
  await screen.findByText(/^No match: complete/, { selector: '[data-testid]' });
  expect(locks.held.has('keyward search 2')).toBe(false);
});
