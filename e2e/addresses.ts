import type { Page } from '@playwright/test';
import { hrefOf, PAGES } from '../components/shell/pages';
import { expect } from './fixtures';

/** Pages that the connection with traffic lacks, or has little data for. */
const OF_SOCIAL = new Set<string>(['entities', 'presence', 'conversations']);

const addressOf = (page: (typeof PAGES)[number]): string =>
  hrefOf(page, OF_SOCIAL.has(page.id) ? 'social' : 'live');

/** Pages with tabs have one page each. */
const TABS: Record<string, string[]> = {
  tokens: ['?tab=verification', '?tab=states'],
  sessions: ['?user=5'],
  env: ['?tab=backups'],
  guard: ['?tab=bans', '?tab=projects', '?tab=limits', '?tab=history'],
  users: ['?tab=tokens'],
  audit: ['?tab=notifications'],
  analysis: ['?tab=types', '?tab=spread', '?tab=biggest', '?tab=unclassified'],
  catalog: ['?tab=entities', '?tab=overlaps', '?tab=drift', '?tab=unclassified', '?tab=sources'],
  conventions: ['?tab=history', '?tab=policy'],
  queues: ['?tab=leaderboards', '?tab=counters'],
  locks: ['?tab=processes'],
  server: ['?tab=slowlog', '?tab=latency', '?tab=clients', '?tab=commands', '?tab=works'],
  alerts: ['?tab=rules', '?tab=channels', '?tab=history'],
  entities: ['?tab=check', '?kind=minidouyin.user&id=1', '?kind=qianxun.room&id=9%3A摄影'],
};

/** Every page of the navigation, and those reached from the header. */
export const PAGE_ADDRESSES = [...PAGES.map(addressOf), '/account', '/live/find?q=feature'];

/** Every tab of a page, and every page about a single thing. */
export const TAB_ADDRESSES = PAGES.flatMap((page) =>
  (TABS[page.id] ?? []).map((search) => `${addressOf(page)}${search}`),
);

/** Waits until the page shows its data in place of skeletons. */
export const expectLoaded = async (page: Page): Promise<void> => {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const loading = page.getByRole('main').locator('[aria-busy="true"], .mantine-Skeleton-root');
  await expect(loading, page.url()).toHaveCount(0, { timeout: 30_000 });
};

/** Uses a link of the navigation or its entry's tabs if there is one: a new document would load all scripts again. */
export const follow = async (page: Page, address: string): Promise<void> => {
  const navigation = page.getByRole('navigation');
  const more = navigation.getByRole('button', { name: 'More', expanded: false });
  if ((await more.count()) > 0) await more.click();
  const link = navigation.locator(`a[href="${address}"]`);
  if ((await link.count()) > 0) await link.first().click();
  else await page.goto(address);
  await expect(page).toHaveURL(address);
};
