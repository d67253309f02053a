import { expect, it, vi } from 'vitest';
import { addRecent, recentOf } from '@/components/shell/find/recent';
import { signOut } from './credentials';

it('forgets what was opened when a user signs out', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ csrfToken: 'token' }));
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  addRecent('ann', { label: 'ilya20', href: '/demo/sessions?user=20' });
  expect(recentOf('ann')).toHaveLength(1);
  await signOut();
  expect(recentOf('ann')).toEqual([]);
  expect(assign).toHaveBeenCalledWith('/sign-in');
  vi.unstubAllGlobals();
  assign.mockRestore();
});
