import {
  IconActivityHeartbeat,
  IconAffiliate,
  IconBell,
  type IconBolt,
  IconBook2,
  IconBroadcast,
  IconChartDots,
  IconChartHistogram,
  IconChecklist,
  IconEye,
  IconFolderSearch,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconLock,
  IconMessages,
  IconReportAnalytics,
  IconServer,
  IconServer2,
  IconShield,
  IconStack2,
  IconStethoscope,
  IconTargetArrow,
  IconTerminal2,
  IconToggleLeft,
  IconTrash,
  IconUserCheck,
  IconUserCog,
  IconUsers,
  IconVariable,
} from '@tabler/icons-react';
import type { useTranslations } from 'next-intl';
import type { Connection } from '@/lib/connections/schema';
import { may, type Permission, type Role } from '@/lib/permissions';

/** A message key with its namespace; a key that does not exist is a type error. */
type MessageKey = Parameters<ReturnType<typeof useTranslations<never>>>[0];

interface PageEntry {
  id: string;
  /** The message key of its name in the navigation. */
  label: MessageKey;
  group: 'operate' | 'caches' | 'explore' | 'health' | 'administer';
  /** Below the connection's path if `ofConnection`, otherwise below the root. */
  path: string;
  /** For a tab of another page: the query of its URL. */
  search?: string;
  ofConnection: boolean;
  permission: Permission;
  /** Roles of which the connection's catalog must have at least one. Without them every connection has the page. */
  roles?: readonly string[];
  /** Whether the connection must have entities to explore. */
  entities?: true;
  icon: typeof IconBolt;
}

/** All pages, in the order of the navigation. */
const ENTRIES = [
  {
    id: 'overview',
    label: 'overview.title',
    group: 'operate',
    path: '/overview',
    ofConnection: true,
    permission: 'view',
    icon: IconLayoutDashboard,
  },
  {
    id: 'sessions',
    label: 'sessions.title',
    group: 'operate',
    path: '/sessions',
    ofConnection: true,
    permission: 'sessions:view',
    roles: ['session'],
    icon: IconUsers,
  },
  {
    id: 'tokens',
    label: 'tokens.nav',
    group: 'operate',
    path: '/tokens',
    ofConnection: true,
    permission: 'sessions:view',
    roles: ['access-token', 'refresh-token', 'sign-in-state', 'verification-token'],
    icon: IconKey,
  },
  {
    id: 'presence',
    label: 'presence.title',
    group: 'operate',
    path: '/presence',
    ofConnection: true,
    permission: 'keys:view',
    roles: ['presence'],
    icon: IconUserCheck,
  },
  {
    id: 'channels',
    label: 'channels.title',
    group: 'operate',
    path: '/channels',
    ofConnection: true,
    permission: 'live:view',
    icon: IconBroadcast,
  },
  {
    id: 'flags',
    label: 'flags.title',
    group: 'operate',
    path: '/flags',
    ofConnection: true,
    permission: 'flags:view',
    roles: ['flag'],
    icon: IconToggleLeft,
  },
  {
    id: 'env',
    label: 'env.title',
    group: 'operate',
    path: '/env',
    ofConnection: true,
    permission: 'env:view',
    roles: ['variable'],
    icon: IconVariable,
  },
  {
    id: 'guard',
    label: 'guard.title',
    group: 'operate',
    path: '/guard',
    ofConnection: true,
    permission: 'guard:view',
    roles: ['ban-list', 'block-list', 'request-counts', 'period-request-counts', 'rate-limit'],
    icon: IconShield,
  },
  {
    id: 'locks',
    label: 'locks.title',
    group: 'operate',
    path: '/locks',
    ofConnection: true,
    permission: 'live:view',
    roles: ['lock', 'state'],
    icon: IconLock,
  },
  {
    id: 'queues',
    label: 'queues.title',
    group: 'operate',
    path: '/queues',
    ofConnection: true,
    permission: 'live:view',
    roles: ['queue', 'leaderboard', 'count', 'bitmap', 'hyperloglog'],
    icon: IconStack2,
  },
  {
    id: 'families',
    label: 'families.nav',
    group: 'caches',
    path: '/families',
    ofConnection: true,
    permission: 'view',
    icon: IconChartHistogram,
  },
  {
    id: 'hit-rates',
    label: 'hitRates.title',
    group: 'caches',
    path: '/hit-rates',
    ofConnection: true,
    permission: 'view',
    icon: IconTargetArrow,
  },
  {
    id: 'invalidate',
    label: 'families.navInvalidate',
    group: 'caches',
    path: '/families',
    search: 'tab=invalidate',
    ofConnection: true,
    permission: 'caches:invalidate',
    icon: IconTrash,
  },
  {
    id: 'keys',
    label: 'keys.title',
    group: 'explore',
    path: '/keys',
    ofConnection: true,
    permission: 'keys:view',
    icon: IconFolderSearch,
  },
  {
    id: 'command-line',
    label: 'commandLine.title',
    group: 'explore',
    path: '/command-line',
    ofConnection: true,
    permission: 'keys:view',
    icon: IconTerminal2,
  },
  {
    id: 'entities',
    label: 'entities.title',
    group: 'explore',
    path: '/entities',
    ofConnection: true,
    permission: 'keys:view',
    entities: true,
    icon: IconAffiliate,
  },
  {
    id: 'conversations',
    label: 'conversations.title',
    group: 'explore',
    path: '/conversations',
    ofConnection: true,
    permission: 'keys:view',
    roles: ['conversation'],
    icon: IconMessages,
  },
  {
    id: 'views',
    label: 'views.title',
    group: 'explore',
    path: '/views',
    ofConnection: true,
    permission: 'live:view',
    roles: ['view-count', 'view-import'],
    icon: IconEye,
  },
  {
    id: 'metrics',
    label: 'metrics.title',
    group: 'explore',
    path: '/metrics',
    ofConnection: true,
    permission: 'view',
    roles: ['counter', 'stats'],
    icon: IconChartDots,
  },
  {
    id: 'analysis',
    label: 'analysis.title',
    group: 'explore',
    path: '/analysis',
    ofConnection: true,
    permission: 'view',
    icon: IconReportAnalytics,
  },
  {
    id: 'catalog',
    label: 'catalog.title',
    group: 'explore',
    path: '/catalog',
    ofConnection: true,
    permission: 'view',
    icon: IconBook2,
  },
  {
    id: 'nodes',
    label: 'nodes.title',
    group: 'health',
    path: '/nodes',
    ofConnection: true,
    permission: 'view',
    icon: IconServer2,
  },
  {
    id: 'server',
    label: 'server.title',
    group: 'health',
    path: '/server',
    ofConnection: true,
    permission: 'live:view',
    icon: IconServer,
  },
  {
    id: 'alerts',
    label: 'alerts.title',
    group: 'health',
    path: '/alerts',
    ofConnection: true,
    permission: 'view',
    icon: IconBell,
  },
  {
    id: 'diagnostics',
    label: 'diagnostics.title',
    group: 'health',
    path: '/diagnostics',
    ofConnection: true,
    permission: 'view',
    icon: IconStethoscope,
  },
  {
    id: 'profiler',
    label: 'profiler.title',
    group: 'health',
    path: '/profiler',
    ofConnection: true,
    permission: 'caches:sample',
    icon: IconActivityHeartbeat,
  },
  {
    id: 'conventions',
    label: 'conventions.title',
    group: 'health',
    path: '/conventions',
    ofConnection: true,
    permission: 'view',
    icon: IconChecklist,
  },
  {
    id: 'audit',
    label: 'audit.title',
    group: 'administer',
    path: '/audit',
    ofConnection: false,
    permission: 'audit:view',
    icon: IconHistory,
  },
  {
    id: 'jobs',
    label: 'jobs.title',
    group: 'administer',
    path: '/jobs',
    ofConnection: false,
    permission: 'view',
    icon: IconListDetails,
  },
  {
    id: 'users',
    label: 'users.title',
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

export const GROUPS = ['operate', 'caches', 'explore', 'health', 'administer'] as const;

/** The facts that decide which pages a connection has. */
type OfConnection = Pick<Connection, 'roles' | 'entities'>;

/** Whether the catalog of a connection has data for this page. */
export const hasPage = ({ roles, entities }: OfConnection, page: Page): boolean =>
  (page.roles?.some((role) => roles.includes(role)) ?? true) &&
  (!page.entities || entities.some(({ explored }) => explored));

/** The pages a role may see and the connection has. Without a connection, only global pages. */
export const pagesFor = (role: Role, connection: OfConnection | null): Page[] =>
  PAGES.filter(
    (page) =>
      may(role, page.permission) &&
      (!page.ofConnection || (connection !== null && hasPage(connection, page))),
  );

/** The page of a connection at this URL, `/{connection}/{page}…`; undefined for others. */
export const pageAt = (pathname: string): Page | undefined => {
  const path = `/${pathname.split('/')[2] ?? ''}`;
  return PAGES.find((page) => page.ofConnection && page.path === path);
};

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
