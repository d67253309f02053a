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
import type { useTranslations } from 'next-intl';
import { may, type Permission, type Role } from '@/lib/permissions';

/** A message key with its namespace; a key that does not exist is a type error. */
type MessageKey = Parameters<ReturnType<typeof useTranslations<never>>>[0];

interface PageEntry {
  id: string;
  /** The message key of its name in the navigation. */
  label: MessageKey;
  group: 'operate' | 'caches' | 'administer';
  /** Below the connection's path if `ofConnection`, else below the root. */
  path: string;
  /** A tab of another page: the query its address has. */
  search?: string;
  ofConnection: boolean;
  permission: Permission;
  icon: typeof IconBolt;
}

/** All pages, in the order of the navigation. */
const ENTRIES = [
  {
    id: 'overview',
    label: 'overview.nav',
    group: 'operate',
    path: '/overview',
    ofConnection: true,
    permission: 'view',
    icon: IconLayoutDashboard,
  },
  {
    id: 'sessions',
    label: 'sessions.nav',
    group: 'operate',
    path: '/sessions',
    ofConnection: true,
    permission: 'sessions:view',
    icon: IconUsers,
  },
  {
    id: 'tokens',
    label: 'tokens.nav',
    group: 'operate',
    path: '/tokens',
    ofConnection: true,
    permission: 'sessions:view',
    icon: IconKey,
  },
  {
    id: 'flags',
    label: 'flags.nav',
    group: 'operate',
    path: '/flags',
    ofConnection: true,
    permission: 'flags:view',
    icon: IconToggleLeft,
  },
  {
    id: 'env',
    label: 'env.nav',
    group: 'operate',
    path: '/env',
    ofConnection: true,
    permission: 'env:view',
    icon: IconVariable,
  },
  {
    id: 'guard',
    label: 'guard.nav',
    group: 'operate',
    path: '/guard',
    ofConnection: true,
    permission: 'guard:view',
    icon: IconShield,
  },
  {
    id: 'families',
    label: 'caches.nav',
    group: 'caches',
    path: '/caches',
    ofConnection: true,
    permission: 'view',
    icon: IconChartHistogram,
  },
  {
    id: 'hitRates',
    label: 'hitRates.nav',
    group: 'caches',
    path: '/hit-rates',
    ofConnection: true,
    permission: 'view',
    icon: IconTargetArrow,
  },
  {
    id: 'invalidate',
    label: 'caches.navInvalidate',
    group: 'caches',
    path: '/caches',
    search: 'tab=invalidate',
    ofConnection: true,
    permission: 'caches:invalidate',
    icon: IconTrash,
  },
  {
    id: 'audit',
    label: 'audit.nav',
    group: 'administer',
    path: '/audit',
    ofConnection: false,
    permission: 'audit:view',
    icon: IconHistory,
  },
  {
    id: 'jobs',
    label: 'jobs.nav',
    group: 'administer',
    path: '/jobs',
    ofConnection: false,
    permission: 'view',
    icon: IconListDetails,
  },
  {
    id: 'users',
    label: 'users.nav',
    group: 'administer',
    path: '/users',
    ofConnection: false,
    permission: 'users:manage',
    icon: IconUserCog,
  },
] as const satisfies readonly PageEntry[];

export type PageId = (typeof ENTRIES)[number]['id'];
export type Page = PageEntry & { id: PageId };

export const PAGES: readonly Page[] = ENTRIES;

export const GROUPS = ['operate', 'caches', 'administer'] as const;

/** The pages a role may see. Without a connection, only global pages. */
export const pagesFor = (role: Role, connection: string | null): Page[] =>
  PAGES.filter((page) => may(role, page.permission) && (!page.ofConnection || connection !== null));

export const hrefOf = (page: Page, connection: string | null): string => {
  const path = page.ofConnection ? `/${connection}${page.path}` : page.path;
  return page.search ? `${path}?${page.search}` : path;
};

/** Whether `page` is the current one. */
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
