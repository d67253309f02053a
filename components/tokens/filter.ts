import { typedUserId } from '@/lib/sessions/schema';
import type { TokenFilter } from '@/lib/tokens/schema';

export const TABS = ['oauth', 'verification', 'states'] as const;
export type Tab = (typeof TABS)[number];

/** The page's state in the URL. */
export const FIELDS = { tab: '', user: '', provider: '', kind: '', type: '', within: '', job: '' };
export type Fields = typeof FIELDS;
export const STEPS = { tabs: ['tab'], opens: ['job'] } as const;

/** The filters, all cleared. */
export const NO_FILTER = { user: '', provider: '', kind: '', type: '', within: '' };

export const WITHIN_SECONDS = ['300', '900', '3600', '86400', '604800'];

export const tabOf = ({ tab }: Pick<Fields, 'tab'>): Tab => TABS.find((each) => each === tab) ?? 'oauth';

/** The user id in the URL, a number or any id after `#`; null for text that is not a user id. */
export const userOf = ({ user }: Pick<Fields, 'user'>): string | null => typedUserId(user);

/** The search text is not a user id, and tokens have no user names to search. */
export const isNoUser = (tab: Tab, url: Pick<Fields, 'user'>): boolean =>
  tab !== 'states' && url.user.trim() !== '' && userOf(url) === null;

const secondsOf = (within: string): number | undefined =>
  /^\d{1,7}$/.test(within) && Number(within) > 0 ? Number(within) : undefined;

/** The server's filter: only the fields that this tab's tokens have; invalid values are left out. */
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
