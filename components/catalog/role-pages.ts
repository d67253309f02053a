import type { CatalogFamily } from '@/lib/catalog/schema';
import type { Permission } from '@/lib/permissions';

type FamilyRole = NonNullable<CatalogFamily['role']>;

interface RolePage {
  /** Below the connection's path. */
  path: string;
  permission: Permission;
}

const sessions: RolePage = { path: '/sessions', permission: 'sessions:view' };
const views: RolePage = { path: '/views', permission: 'live:view' };
const tokens: RolePage = { path: '/tokens', permission: 'sessions:view' };
const traffic: RolePage = { path: '/guard', permission: 'guard:view' };
const guard = (tab: string): RolePage => ({ path: `/guard?tab=${tab}`, permission: 'guard:view' });
const caches: RolePage = { path: '/families?only=caches', permission: 'view' };

/** The page that shows the families of a role; a role without one is a name only. */
const PAGES: Partial<Record<FamilyRole, RolePage>> = {
  session: sessions,
  'session-index': sessions,
  'legacy-session': sessions,
  presence: { path: '/presence', permission: 'keys:view' },
  conversation: { path: '/conversations', permission: 'keys:view' },
  'view-count': views,
  'view-import': views,
  'view-slugs': views,
  'access-token': tokens,
  'refresh-token': tokens,
  'sign-in-state': tokens,
  'verification-token': tokens,
  variable: { path: '/env', permission: 'env:view' },
  flag: { path: '/flags', permission: 'flags:view' },
  cache: caches,
  marker: caches,
  counter: { path: '/hit-rates', permission: 'view' },
  'block-list': guard('projects'),
  'ban-list': guard('bans'),
  'request-counts': traffic,
  'period-request-counts': traffic,
  'rate-limit': guard('limits'),
  'project-metrics': guard('history'),
};

export const pageOfRole = (role: FamilyRole): RolePage | undefined => PAGES[role];
