import { typedUserId } from '@/lib/sessions/schema';
import type { TokenFilter } from '@/lib/sessions/tokens/schema';

export const TABS = ['oauth', 'verification', 'states'] as const;
export type Tab = (typeof TABS)[number];

/** The state of the page that is in its address. */
export const FIELDS = { tab: '', user: '', provider: '', kind: '', type: '', within: '', job: '' };
export type Fields = typeof FIELDS;
export const STEPS = { tabs: ['tab'], opens: ['job'] } as const;

/** What leads nowhere else when another tab is chosen: the user stays. */
export const NO_FILTER = { user: '', provider: '', kind: '', type: '', within: '' };

export const WITHIN_SECONDS = ['300', '900', '3600', '86400', '604800'];

export const tabOf = ({ tab }: Pick<Fields, 'tab'>): Tab => TABS.find((each) => each === tab) ?? 'oauth';

/** The user the address names, a number or any id after `#`; null for a text that is no user id. */
export const userOf = ({ user }: Pick<Fields, 'user'>): string | null => typedUserId(user);

/** Somebody looks for a user by what is no user id: tokens have no names. */
export const isNoUser = (tab: Tab, url: Pick<Fields, 'user'>): boolean =>
  tab !== 'states' && url.user.trim() !== '' && userOf(url) === null;

const secondsOf = (within: string): number | undefined =>
  /^\d{1,7}$/.test(within) && Number(within) > 0 ? Number(within) : undefined;

/** What the server is asked for: only what this tab's tokens have; what cannot be is left out. */
export const filterOf = (tab: Tab, url: Fields): TokenFilter => {
  const filter: TokenFilter = {};
  const user = userOf(url);
  const within = secondsOf(url.within);
  if (user && tab !== 'states') filter.userId = user;
  if (url.provider && tab !== 'verification') filter.provider = url.provider;
  if (tab === 'oauth' && (url.kind === 'access' || url.kind === 'refresh')) filter.kind = url.kind;
  if (url.type && tab === 'verification') filter.type = url.type;
  if (within !== undefined) filter.expiringWithinSeconds = within;
  return filter;
};

export const isFiltered = (filter: TokenFilter): boolean => Object.keys(filter).length > 0;
