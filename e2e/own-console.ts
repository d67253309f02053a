import { expect, type Page, test as plain } from '@playwright/test';
import { type PrivateConsole, privateConsole } from '../scripts/testing/private-console';
import { expectLoaded } from './addresses';

export const ADMIN = { email: 'first@example.org', password: 'a-password-of-mine' };
/** Its configured admin; without it the first visit makes one. */
export const WITH_ADMIN = { KEYWARD_ADMIN_EMAIL: ADMIN.email, KEYWARD_ADMIN_PASSWORD: ADMIN.password };
export const C = '/api/v1/connections/main';

/** A test with a console and Redis servers of its own, which it may kill. */
export const testWith = (environment: Record<string, string>) =>
  plain.extend<object, { own: PrivateConsole }>({
    own: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
      async ({}, use) => {
        const own = await privateConsole(environment);
        await use(own);
        await own.close();
      },
      { scope: 'worker', timeout: 90_000 },
    ],
  });

export const api = (own: PrivateConsole, path: string, init: { method?: string; body?: unknown } = {}) =>
  fetch(own.baseUrl + path, {
    method: init.method ?? 'GET',
    headers: { authorization: `Bearer ${own.apiToken}`, 'content-type': 'application/json' },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });

export const post = (own: PrivateConsole, path: string, body: unknown) =>
  api(own, path, { method: 'POST', body });

export const jobOf = async (own: PrivateConsole, jobId: string) =>
  (await api(own, `/api/v1/jobs/${jobId}`)).json();

export const signIn = async (own: PrivateConsole, page: Page): Promise<void> => {
  await page.goto(`${own.baseUrl}/sign-in`);
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/main\/overview/);
};

const openAll = async (own: PrivateConsole, page: Page, paths: readonly string[]): Promise<Page[]> => {
  const tabs: Page[] = [];
  for (const path of paths) {
    const tab = await page.context().newPage();
    await tab.goto(own.baseUrl + path);
    // A page can keep only what it has loaded.
    await expectLoaded(tab);
    tabs.push(tab);
  }
  return tabs;
};

const expectOutage = async (tab: Page): Promise<void> => {
  const ofConnection = new URL(tab.url()).pathname.startsWith('/main/');
  const text = ofConnection
    ? /^Redis is unreachable; showing data from \d+\ss ago\./
    : /^Redis of .+ is unreachable\./;
  await expect(tab.getByTestId('outage'), tab.url()).toHaveText(text, { timeout: 5000 });
  await expect(tab.getByText(/ops\/s$/)).toHaveCount(0);
  await expect(tab.getByText(/Counted now/)).toHaveCount(0);
};

const expectRecovery = async (tab: Page): Promise<void> => {
  await expect(tab.getByText('Redis is reachable again.'), tab.url()).toBeVisible();
  await expect(tab.getByTestId('outage')).toBeHidden();
};

const overviewStatus = async (own: PrivateConsole): Promise<number> =>
  (await api(own, `${C}/overview`)).status;

/** Redis dies and comes back while these pages are open: each reports it within 5 s and keeps its data. */
export const expectOutageOn = async (
  own: PrivateConsole,
  page: Page,
  paths: readonly string[],
): Promise<void> => {
  const range = `from=${new Date(Date.now() - 600_000).toISOString()}&to=${new Date(Date.now() + 300_000).toISOString()}`;
  const kinds = async (): Promise<string[]> => {
    const { events } = await (await api(own, `${C}/history/series?${range}&stepSeconds=10`)).json();
    return events.map((event: { kind: string }) => event.kind);
  };
  const tabs = await openAll(own, page, paths);
  await own.app.kill();
  await Promise.all(tabs.map(expectOutage));
  await expect.poll(() => overviewStatus(own), { timeout: 15_000 }).toBe(503);
  expect(await (await api(own, `${C}/flags`)).json()).toMatchObject({
    code: 'unreachable',
    connection: 'main',
  });
  for (const tab of tabs) await expect(tab.getByRole('heading', { level: 1 })).toBeVisible();
  // The sampler looks once a second: a server that is away for less has only restarted, as far as it can tell.
  await expect.poll(kinds).toContain('outage');
  await own.app.start();
  await expect.poll(() => overviewStatus(own), { timeout: 5000 }).toBe(200);
  await Promise.all(tabs.map(expectRecovery));
  // The sampler sees the return at its next turn, which may be after the page did.
  await expect.poll(kinds).toEqual(expect.arrayContaining(['outage', 'recovered']));
  for (const tab of tabs) await tab.close();
};
