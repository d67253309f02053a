import type { Page, Request } from '@playwright/test';
import { expect, test } from './fixtures';

/** A browser makes six connections to a server: a stream in each tab would leave none for the seventh. */
const TABS = 8;

test('eight tabs of one browser load their rows, share one metrics stream, and ask for no other page', async ({
  browser,
  newSessionOf,
  state,
}) => {
  test.setTimeout(120_000);
  const context = await browser.newContext({ baseURL: state.baseUrl });
  await context.addCookies(await newSessionOf('product'));
  const requests = new Set<Request>();
  const isStream = (request: Request) => request.url().endsWith('/history/stream');
  context.on('request', (request) => isStream(request) && requests.add(request));
  for (const event of ['requestfinished', 'requestfailed'] as const)
    context.on(event as 'requestfinished', (request) => requests.delete(request));
  const prefetched: string[] = [];
  context.on('request', (request) => request.url().includes('_rsc=') && prefetched.push(request.url()));
  const holders = (): Page[] =>
    [...requests].map((request) => request.frame().page()).filter((page) => !page.isClosed());

  const tabs: Page[] = [];
  for (let i = 0; i < TABS; i++) {
    const page = await context.newPage();
    tabs.push(page);
    // Without sharing, the seventh tab waits for a connection and never loads.
    await page.goto('/demo/flags?q=FEATURE_NEW', { timeout: 10_000 });
    await expect(page.getByRole('table', { name: 'Feature flags' }).getByRole('row').nth(1)).toBeVisible({
      timeout: 30_000,
    });
  }
  const isLive = (page: Page) => expect(page.getByText(/ops\/s/)).toBeVisible();
  await Promise.all(tabs.map(isLive));
  expect(holders()).toHaveLength(1);
  expect(prefetched, 'links ask for nothing until they are followed').toEqual([]);

  const [holder] = holders();
  await holder!.close();
  await expect.poll(() => holders().length).toBe(1);
  const rest = tabs.filter((page) => page !== holder);
  await Promise.all(rest.map(isLive));

  // A sign-out in one tab ends the others.
  const [first, ...others] = rest;
  await first!.getByRole('button', { name: /^You are/ }).click();
  await first!.getByRole('menuitem', { name: 'Sign out' }).click();
  for (const page of [first!, ...others.slice(0, 3)])
    await expect(page).toHaveURL(/\/sign-in/, { timeout: 30_000 });
  await expect.poll(() => holders().length).toBe(0);
  await context.close();
});
