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
  IconChecks,
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

/** Entries of several pages with their names, which are the titles of those pages: tabs lead from one to another. */
export const SHARED = {
  locks: 'shell.navLocks',
  families: 'families.title',
  entities: 'entities.title',
  metrics: 'metrics.title',
  catalog: 'catalog.title',
  server: 'server.title',
  advanced: 'shell.navAdvanced',
} as const satisfies Record<string, MessageKey>;

interface PageFacts {
  id: string;
  /** The message key of its name, or of its tab where it shares an entry. */
  label: MessageKey;
  /** The entry of the navigation that it shares with others; otherwise it is an entry by itself. */
  entry?: keyof typeof SHARED;
  /** Its id after a slash, unless given: below the connection's path, or the root. */
  path?: string;
  /** For a tab of another page: the query of its URL. */
  search?: string;
  /** For a page of the whole console. */
  ofConnection?: false;
  permission: Permission;
  /** Roles of which the connection's catalog must have at least one. Without them every connection has the page. */
  roles?: readonly string[];
  /** Whether the connection must have entities to explore. */
  entities?: true;
  /** Whether changes of the connection must need approval. */
  approvals?: true;
  icon: typeof IconBolt;
}

/** All pages, in the order of the navigation. */
const DECLARED = [
  {
    id: 'overview',
    label: 'overview.title',
    permission: 'view',
    icon: IconLayoutDashboard,
  },
  {
    id: 'sessions',
    label: 'sessions.title',
    permission: 'sessions:view',
    roles: ['session'],
    icon: IconUsers,
  },
  {
    id: 'tokens',
    label: 'tokens.title',
    permission: 'sessions:view',
    roles: ['access-token', 'refresh-token', 'sign-in-state', 'verification-token'],
    icon: IconKey,
  },
  {
    id: 'presence',
    label: 'presence.title',
    permission: 'keys:view',
    roles: ['presence'],
    icon: IconUserCheck,
  },
  {
    id: 'channels',
    label: 'channels.title',
    permission: 'live:view',
    icon: IconBroadcast,
  },
  {
    id: 'flags',
    label: 'flags.title',
    permission: 'flags:view',
    roles: ['flag'],
    icon: IconToggleLeft,
  },
  {
    id: 'approvals',
    label: 'approvals.title',
    // A viewer may make none of the changes.
    permission: 'live:view',
    approvals: true,
    icon: IconChecks,
  },
  {
    id: 'env',
    label: 'env.title',
    permission: 'env:view',
    roles: ['variable'],
    icon: IconVariable,
  },
  {
    id: 'guard',
    label: 'guard.title',
    permission: 'guard:view',
    roles: ['ban-list', 'block-list', 'request-counts', 'period-request-counts', 'rate-limit'],
    icon: IconShield,
  },
  {
    id: 'locks',
    label: 'locks.title',
    entry: 'locks',
    permission: 'live:view',
    roles: ['lock', 'state'],
    icon: IconLock,
  },
  {
    id: 'queues',
    label: 'queues.title',
    entry: 'locks',
    permission: 'live:view',
    roles: ['queue', 'leaderboard', 'count', 'bitmap', 'hyperloglog'],
    icon: IconStack2,
  },
  {
    id: 'families',
    label: 'families.title',
    entry: 'families',
    permission: 'view',
    icon: IconChartHistogram,
  },
  {
    id: 'invalidate',
    label: 'families.navInvalidate',
    entry: 'families',
    path: '/families',
    search: 'tab=invalidate',
    permission: 'caches:invalidate',
    icon: IconTrash,
  },
  {
    id: 'hit-rates',
    label: 'hitRates.title',
    permission: 'view',
    icon: IconTargetArrow,
  },
  {
    id: 'keys',
    label: 'keys.title',
    permission: 'keys:view',
    icon: IconFolderSearch,
  },
  {
    id: 'entities',
    label: 'entities.title',
    entry: 'entities',
    permission: 'keys:view',
    entities: true,
    icon: IconAffiliate,
  },
  {
    id: 'conversations',
    label: 'conversations.title',
    entry: 'entities',
    permission: 'keys:view',
    roles: ['conversation'],
    icon: IconMessages,
  },
  {
    id: 'metrics',
    label: 'metrics.title',
    entry: 'metrics',
    permission: 'view',
    roles: ['counter', 'stats'],
    icon: IconChartDots,
  },
  {
    id: 'views',
    label: 'views.title',
    entry: 'metrics',
    permission: 'live:view',
    roles: ['view-count', 'view-import'],
    icon: IconEye,
  },
  {
    id: 'analysis',
    label: 'analysis.title',
    permission: 'view',
    icon: IconReportAnalytics,
  },
  {
    id: 'catalog',
    label: 'catalog.title',
    entry: 'catalog',
    permission: 'view',
    icon: IconBook2,
  },
  {
    id: 'conventions',
    label: 'conventions.title',
    entry: 'catalog',
    permission: 'view',
    icon: IconChecklist,
  },
  {
    id: 'server',
    label: 'server.title',
    entry: 'server',
    permission: 'live:view',
    icon: IconServer,
  },
  {
    id: 'nodes',
    label: 'nodes.title',
    entry: 'server',
    permission: 'view',
    icon: IconServer2,
  },
  {
    id: 'diagnostics',
    label: 'diagnostics.title',
    entry: 'server',
    permission: 'view',
    icon: IconStethoscope,
  },
  {
    id: 'alerts',
    label: 'alerts.title',
    permission: 'view',
    icon: IconBell,
  },
  {
    id: 'command-line',
    label: 'commandLine.title',
    entry: 'advanced',
    permission: 'keys:view',
    icon: IconTerminal2,
  },
  {
    id: 'profiler',
    label: 'profiler.title',
    entry: 'advanced',
    permission: 'caches:sample',
    icon: IconActivityHeartbeat,
  },
  {
    id: 'audit',
    label: 'audit.title',
    ofConnection: false,
    permission: 'audit:view',
    icon: IconHistory,
  },
  {
    id: 'jobs',
    label: 'jobs.title',
    ofConnection: false,
    permission: 'view',
    icon: IconListDetails,
  },
  {
    id: 'users',
    label: 'users.title',
    ofConnection: false,
    permission: 'users:manage',
    icon: IconUserCog,
  },
] as const satisfies readonly PageFacts[];

export type PageId = (typeof DECLARED)[number]['id'];
export type Page = Omit<PageFacts, 'path' | 'ofConnection'> & {
  id: PageId;
  path: string;
  ofConnection: boolean;
};

export const PAGES: readonly Page[] = DECLARED.map((page) => ({
  path: `/${page.id}`,
  ofConnection: true,
  ...page,
}));

type EntryIdOf<P> = P extends { entry: infer E } ? E : P extends { id: infer I } ? I : never;
export type EntryId = EntryIdOf<(typeof DECLARED)[number]>;

/** What a user of each role sees first, until they choose otherwise. */
export const PINS: Record<Role, readonly EntryId[]> = {
  admin: [
    'overview',
    'sessions',
    'tokens',
    'flags',
    'approvals',
    'env',
    'guard',
    'families',
    'hit-rates',
    'keys',
    'entities',
    'server',
    'alerts',
    'audit',
    'jobs',
    'users',
  ],
  support: [
    'sessions',
    'tokens',
    'approvals',
    'entities',
    'guard',
    'overview',
    'presence',
    'keys',
    'alerts',
    'jobs',
  ],
  product: [
    'flags',
    'approvals',
    'families',
    'hit-rates',
    'overview',
    'entities',
    'metrics',
    'analysis',
    'alerts',
    'jobs',
  ],
  viewer: ['overview', 'flags', 'families', 'hit-rates', 'metrics', 'alerts'],
  evaluator: [],
};

/** The facts that decide which pages a connection has. */
type OfConnection = Pick<Connection, 'roles' | 'entities'> & Partial<Pick<Connection, 'approvals'>>;

/** Whether the catalog of a connection has data for this page. */
export const hasPage = ({ roles, entities, approvals }: OfConnection, page: Page): boolean =>
  (page.roles?.some((role) => roles.includes(role)) ?? true) &&
  (!page.entities || entities.some(({ explored }) => explored)) &&
  (!page.approvals || Boolean(approvals));

/** The pages a role may see and the connection has. Without a connection, only global pages. */
export const pagesFor = (role: Role, connection: OfConnection | null): Page[] =>
  PAGES.filter(
    (page) =>
      may(role, page.permission) &&
      (!page.ofConnection || (connection !== null && hasPage(connection, page))),
  );

/** An entry of the navigation: its pages that a role may see and the connection has. */
export interface Entry {
  id: EntryId;
  label: MessageKey;
  icon: typeof IconBolt;
  pages: readonly [Page, ...Page[]];
  pinned: boolean;
}

const idOf = (page: Page): EntryId => page.entry ?? (page.id as EntryId);

/** The entries with at least one page, pinned ones first: by default those of the role, otherwise `pins`. */
export const entriesFor = (
  role: Role,
  connection: OfConnection | null,
  pins: readonly string[] | null,
): Entry[] => {
  const pages = pagesFor(role, connection);
  // The order of the role, including entries that the user pinned.
  const ids = new Set([...PINS[role], ...pages.map(idOf)]);
  const entries = [...ids].flatMap((id): Entry[] => {
    const [first, ...others] = pages.filter((page) => idOf(page) === id);
    if (!first) return [];
    const label = first.entry && others.length > 0 ? SHARED[first.entry] : first.label;
    return [
      { id, label, icon: first.icon, pages: [first, ...others], pinned: (pins ?? PINS[role]).includes(id) },
    ];
  });
  return [...entries.filter(({ pinned }) => pinned), ...entries.filter(({ pinned }) => !pinned)];
};

/** The page at this URL, of a connection or of the whole console. */
export const pageOf = (pathname: string): Page | undefined =>
  pageAt(pathname) ?? PAGES.find((page) => !page.ofConnection && page.path === pathname);

/** The page of a connection at this URL, `/{connection}/{page}…`; undefined for others. */
export const pageAt = (pathname: string): Page | undefined => {
  const path = `/${pathname.split('/')[2] ?? ''}`;
  return PAGES.find((page) => page.ofConnection && page.path === path);
};

/** The text about what a page is for: beside its title or, as `helpInvalidate`, beside a name of its own. */
export const helpKeyOf = ({ label }: Page): MessageKey =>
  label.replace(/\.(?:title|nav(\w+))$/, (_, name = '') => `.help${name}`) as MessageKey;

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
