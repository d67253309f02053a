import {
  type IconBolt,
  IconChartHistogram,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconShield,
  IconTargetArrow,
  IconToggleLeft,
  IconTrash,
  IconUserCog,
  IconUsers,
  IconVariable,
} from '@tabler/icons-react';
import { may, type Permission, type Role } from '@/lib/permissions';

export type PageId =
  | 'overview'
  | 'sessions'
  | 'tokens'
  | 'flags'
  | 'env'
  | 'guard'
  | 'families'
  | 'hitRates'
  | 'invalidate'
  | 'audit'
  | 'jobs'
  | 'users';

export interface Page {
  id: PageId;
  group: 'operate' | 'caches' | 'administer';
  /** Below the connection's path, or the console's own. */
  path: string;
  /** Chosen when the address has this query; the bare path belongs to the page without one. */
  search?: string;
  ofConnection: boolean;
  permission: Permission;
  icon: typeof IconBolt;
}

/** Every page there is, in the order of the navigation. */
export const PAGES: readonly Page[] = [
  {
    id: 'overview',
    group: 'operate',
    path: '/overview',
    ofConnection: true,
    permission: 'view',
    icon: IconLayoutDashboard,
  },
  {
    id: 'sessions',
    group: 'operate',
    path: '/sessions',
    ofConnection: true,
    permission: 'sessions:view',
    icon: IconUsers,
  },
  {
    id: 'tokens',
    group: 'operate',
    path: '/tokens',
    ofConnection: true,
    permission: 'sessions:view',
    icon: IconKey,
  },
  {
    id: 'flags',
    group: 'operate',
    path: '/flags',
    ofConnection: true,
    permission: 'flags:view',
    icon: IconToggleLeft,
  },
  {
    id: 'env',
    group: 'operate',
    path: '/env',
    ofConnection: true,
    permission: 'env:view',
    icon: IconVariable,
  },
  {
    id: 'guard',
    group: 'operate',
    path: '/guard',
    ofConnection: true,
    permission: 'guard:view',
    icon: IconShield,
  },
  {
    id: 'families',
    group: 'caches',
    path: '/caches',
    ofConnection: true,
    permission: 'view',
    icon: IconChartHistogram,
  },
  {
    id: 'hitRates',
    group: 'caches',
    path: '/hit-rates',
    ofConnection: true,
    permission: 'view',
    icon: IconTargetArrow,
  },
  {
    id: 'invalidate',
    group: 'caches',
    path: '/caches',
    search: 'tab=invalidate',
    ofConnection: true,
    permission: 'caches:invalidate',
    icon: IconTrash,
  },
  {
    id: 'audit',
    group: 'administer',
    path: '/audit',
    ofConnection: false,
    permission: 'audit:view',
    icon: IconHistory,
  },
  {
    id: 'jobs',
    group: 'administer',
    path: '/jobs',
    ofConnection: false,
    permission: 'view',
    icon: IconListDetails,
  },
  {
    id: 'users',
    group: 'administer',
    path: '/users',
    ofConnection: false,
    permission: 'users:manage',
    icon: IconUserCog,
  },
];

export const GROUPS = ['operate', 'caches', 'administer'] as const;

/** What a role may not see is not there; pages of a connection need one. */
export const pagesFor = (role: Role, connection: string | null): Page[] =>
  PAGES.filter((page) => may(role, page.permission) && (!page.ofConnection || connection !== null));

export const hrefOf = (page: Page, connection: string | null): string => {
  const path = page.ofConnection ? `/${connection}${page.path}` : page.path;
  return page.search ? `${path}?${page.search}` : path;
};

/** Whether `page` is the one at this address. */
export const isCurrent = (
  page: Page,
  connection: string | null,
  pathname: string,
  search: string,
): boolean => {
  const path = hrefOf(page, connection).split('?')[0]!;
  if (pathname !== path && !pathname.startsWith(`${path}/`)) return false;
  const others = PAGES.filter((other) => other.path === page.path && other.search);
  const params = new URLSearchParams(search);
  const chosen = others.find((other) => {
    const [name, value] = other.search!.split('=');
    return params.get(name!) === value;
  });
  return chosen ? chosen.id === page.id : page.search === undefined;
};
