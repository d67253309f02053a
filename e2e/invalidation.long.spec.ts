import { setTimeout as delay } from 'node:timers/promises';
import { expect, type Locator, type Page, test as plain } from '@playwright/test';
import { type PrivateConsole, privateConsole } from '../scripts/testing/private-console';
import { signIn } from '../scripts/testing/sign-in';
import { expectStatus } from './expect-status';
import { makeKeys } from './make-keys';
import { api, C, jobOf, post } from './own-console';

type Role = 'admin' | 'product' | 'viewer';

const MAX_KEPT = 2500;
const account = (role: Role) => ({ email: `${role}@example.org`, password: `a-password-of-${role}` });

interface Fixtures {
  /** A page of this role's own browser. */
  pageAs: (role: Role) => Promise<Page>;
  /** Slows writes down to about one call a second, so that a job can be watched; returns a function that ends this. */
  slowWrites: () => () => Promise<void>;
}

/** A console with a keyspace of its own. */
const test = plain.extend<Fixtures, { own: PrivateConsole }>({
  own: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use) => {
      const { email, password } = account('admin');
      const own = await privateConsole(
        {
          KEYWARD_ADMIN_EMAIL: email,
          KEYWARD_ADMIN_PASSWORD: password,
          KEYWARD_UNDO_MAX_KEYS: String(MAX_KEPT),
        },
        { scan: { chunk: 40, pauseMs: 25, maxAddedLatencyMs: 1000 } },
      );
      // The configured admin is created only while there are no users.
      const users = async (): Promise<number> =>
        (await (await api(own, '/api/v1/users')).json()).items.length;
      await expect.poll(users).toBe(1);
      for (const role of ['product', 'viewer'] as const) {
        const made = await post(own, '/api/v1/users', { ...account(role), name: role, role });
        if (!made.ok) throw new Error(await made.text());
      }
      await use(own);
      await own.close();
    },
    { scope: 'worker', timeout: 90_000 },
  ],

  pageAs: async ({ own, browser }, use) => {
    const contexts: { close: () => Promise<void> }[] = [];
    await use(async (role) => {
      const context = await browser.newContext({ baseURL: own.baseUrl });
      contexts.push(context);
      await signIn(context.request, own.baseUrl, account(role));
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },

  slowWrites: async ({ own }, use) => {
    const { client } = own.app;
    const over = new AbortController();
    let slowing: Promise<unknown> = Promise.resolve();
    const slow = async () => {
      while (!over.signal.aborted) {
        await client.call('CLIENT', 'UNPAUSE');
        await client.call('CLIENT', 'PAUSE', 3000, 'WRITE');
        await delay(1000, undefined, { signal: over.signal }).catch(() => undefined);
      }
      await client.call('CLIENT', 'UNPAUSE');
    };
    const end = async () => {
      over.abort();
      await slowing;
    };
    await use(() => {
      slowing = slow();
      return end;
    });
    await end();
  },
});

test.describe.configure({ mode: 'serial', timeout: 300_000 });

// The fewer keys there are, the more surely they are counted whole.
test.beforeEach(async ({ own }) => {
  await own.app.client.flushdb();
});

const countPresent = ({ app }: PrivateConsole, keys: readonly string[]): Promise<number> =>
  app.client.exists(...keys);

const begin = async (own: PrivateConsole, target: object): Promise<{ jobId: string; auditId: string }> => {
  const answer = await post(own, `${C}/families/invalidate`, { ...target, reason: 'e2e' });
  await expectStatus(answer, 202);
  const started = await answer.json();
  await expect
    .poll(async () => (await jobOf(own, started.jobId)).done, { timeout: 30_000 })
    .toBeGreaterThan(20);
  return started;
};

const drawerOf = (page: Page): Locator => page.getByRole('dialog');
const state = (page: Page, name: string): Locator => drawerOf(page).getByText(name, { exact: true });

/** The value next to a name in a description list. */
const factOf = (page: Page, name: string): Locator =>
  drawerOf(page)
    .locator('dl > div')
    .filter({ has: page.locator('dt').getByText(name, { exact: true }) })
    .locator('dd');

/** Undoes the opened job; leaves the page at the finished undo job. */
const undo = async (page: Page): Promise<void> => {
  await drawerOf(page).getByRole('button', { name: 'Undo' }).click();
  await drawerOf(page).getByRole('link', { name: 'View job' }).click();
  await expect(page).toHaveURL(/\/jobs\?job=/);
  await expect(factOf(page, 'Action')).toHaveText('Undo a change');
  await expect(state(page, 'Done')).toBeVisible({ timeout: 60_000 });
};

test('part of a family is invalidated, watched from another page, and restored completely by undo', async ({
  own,
  pageAs,
  slowWrites,
}) => {
  const meant = await makeKeys(own.app.client, 'shouts:author=7000:limit=', 2000, 3600);
  const others = await makeKeys(own.app.client, 'shouts:author=8:limit=', 5, 3600);
  const page = await pageAs('product');
  await page.goto('/main/families?family=discours.shouts');
  await drawerOf(page).getByRole('button', { name: 'Invalidate…' }).click();
  await drawerOf(page).getByRole('textbox', { name: 'params' }).fill('author=70*');
  await expect(drawerOf(page).getByTestId('preview')).toHaveText(/^2,000 keys/);
  await expect(drawerOf(page)).toContainText('Undo available for 24 h: 2,000 keys are stored');
  await expect(drawerOf(page)).toContainText('shouts:author=7000:limit=');
  await page.reload();
  await expect(drawerOf(page).getByRole('textbox', { name: 'params' })).toHaveValue('author=70*');
  const elsewhere = await page.context().newPage();
  await elsewhere.goto('/main/overview');
  const release = slowWrites();
  await drawerOf(page).getByRole('button', { name: 'Invalidate 2,000 keys' }).click();
  await expect(page).toHaveURL(/[?&]job=/);

  await elsewhere.getByRole('link', { name: /1 job/ }).click({ timeout: 20_000 });
  await elsewhere.getByRole('button', { name: /^Open Invalidate keys of discours.shouts/ }).click();
  await expect(drawerOf(elsewhere).getByTestId('job-figures')).toHaveText(/^[1-9][\d,]* of 2,000 keys$/);
  await release();
  await expect(state(elsewhere, 'Done')).toBeVisible({ timeout: 60_000 });
  await expect(factOf(elsewhere, 'Deleted')).toHaveText('2,000');
  await expect(state(page, 'Done')).toBeVisible();
  expect(await countPresent(own, meant)).toBe(0);
  // The application now misses these keys.
  await own.app.client.mget(...meant);

  // Undo is offered where the job was watched, and to everyone who opens it later.
  await expect(page.getByText('Invalidate keys: Done')).toBeVisible();
  await undo(elsewhere);
  await expect(factOf(elsewhere, 'Restored')).toHaveText('2,000');
  expect(await countPresent(own, meant)).toBe(2000);
  const ttl = await own.app.client.ttl(meant[7]!);
  expect(ttl).toBeGreaterThan(3000);
  expect(ttl).toBeLessThanOrEqual(3600);
  expect(await countPresent(own, others)).toBe(5);
});

test('the recovery is shown with the job and its audit entry, and the invalidation on the chart', async ({
  own,
  pageAs,
}) => {
  const page = await pageAs('admin');
  const { items } = await (await api(own, '/api/v1/audit?action=families.invalidate')).json();
  const { id, undoneBy } = items[0];
  expect(undoneBy).not.toBeNull();
  const range = `from=${new Date(Date.now() - 600_000).toISOString()}&to=${new Date().toISOString()}`;
  const { events } = await (await api(own, `${C}/history/series?${range}&stepSeconds=10`)).json();
  const mark = events.find((event: { auditId: string | null }) => event.auditId === id);
  expect(mark).toMatchObject({ kind: 'invalidation' });
  // A span is written when the next one begins.
  const surge = async (): Promise<number> => {
    const span = `from=${new Date(Date.parse(mark.at) - 10_000).toISOString()}&to=${new Date().toISOString()}`;
    const { points } = await (await api(own, `${C}/history/series?${span}&stepSeconds=10`)).json();
    return Math.max(...points.map(({ misses }: { misses: number | null }) => misses ?? 0));
  };
  await expect.poll(surge, { timeout: 25_000 }).toBeGreaterThanOrEqual(2000);
  await page.goto(`/audit?entry=${id}`);
  await expect(drawerOf(page).getByTestId('recovery')).toContainText('isses');
  await drawerOf(page).getByRole('link', { name: 'View on the chart' }).click();
  await expect(page).toHaveURL(/\/main\/overview/);
  await expect(page.getByText(/invalidated/).first()).toBeVisible({ timeout: 30_000 });
});

test('a job whose process was killed says how much it did, and can be undone', async ({
  own,
  pageAs,
  slowWrites,
}) => {
  const keys = await makeKeys(own.app.client, 'author:followers:44', 2400);
  const release = slowWrites();
  const { jobId } = await begin(own, { family: 'discours.author-followers', params: { id: '44*' } });
  await own.kill();
  await release();
  const left = await countPresent(own, keys);
  await own.start();
  await expect.poll(async () => (await jobOf(own, jobId)).state, { timeout: 30_000 }).toBe('interrupted');
  const { done, pending } = await jobOf(own, jobId);
  expect(2400 - left).toBeGreaterThanOrEqual(done);
  expect(2400 - left).toBeLessThanOrEqual(done + pending);
  const page = await pageAs('product');
  await page.goto(`/jobs?job=${jobId}`);
  await expect(drawerOf(page)).toContainText(`Interrupted: ${done.toLocaleString('en')} of 2,400 keys done.`);
  await undo(page);
  expect(await countPresent(own, keys)).toBe(2400);
});
