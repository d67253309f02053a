import { expect, type Locator, type Page, test as plain } from '@playwright/test';
import { lookAt } from './axe';
import { expectStatus } from './expect-status';
import { type PrivateConsole, privateConsole } from './private-console';

type Role = 'admin' | 'product' | 'viewer';

const MOST_KEPT = 2500;
const C = '/api/v1/connections/main';
const account = (role: Role) => ({ email: `${role}@example.org`, password: `a-password-of-${role}` });

interface Fixtures {
  /** A page of this role's own browser. */
  pageAs: (role: Role) => Promise<Page>;
}

/** A console with a keyspace of its own, whose scan budget is so small that a job can be watched. */
const test = plain.extend<Fixtures, { own: PrivateConsole }>({
  own: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use) => {
      const { email, password } = account('admin');
      const own = await privateConsole(
        {
          KEYWARD_ADMIN_EMAIL: email,
          KEYWARD_ADMIN_PASSWORD: password,
          KEYWARD_UNDO_MAX_KEYS: String(MOST_KEPT),
        },
        { scan: { chunk: 40, pauseMs: 25, maxAddedLatencyMs: 1000 } },
      );
      // The configured admin is made only while there is nobody.
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
      const { csrfToken } = await (await context.request.get('/api/auth/csrf')).json();
      const answer = await context.request.post('/api/auth/callback/credentials', {
        headers: { origin: own.baseUrl },
        form: { ...account(role), csrfToken, json: 'true' },
      });
      await expectStatus(answer, 200, role);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },
});

test.describe.configure({ mode: 'serial', timeout: 300_000 });

// The fewer keys there are, the more surely they are counted whole.
test.beforeEach(async ({ own }) => {
  await own.app.client.flushdb();
});

const api = (own: PrivateConsole, path: string, init: RequestInit = {}) =>
  fetch(own.baseUrl + path, {
    ...init,
    headers: { authorization: `Bearer ${own.apiToken}`, 'content-type': 'application/json' },
  });

const post = (own: PrivateConsole, path: string, body: unknown) =>
  api(own, path, { method: 'POST', body: JSON.stringify(body) });

const jobOf = async (own: PrivateConsole, jobId: string) => (await api(own, `/api/v1/jobs/${jobId}`)).json();

/** `count` keys `{prefix}0`, `{prefix}1`, …, each with this TTL in seconds if any; answers their names. */
const makeKeys = async (
  own: PrivateConsole,
  prefix: string,
  count: number,
  ttl?: number,
): Promise<string[]> => {
  const keys = Array.from({ length: count }, (_, i) => prefix + i);
  const pipeline = own.app.client.pipeline();
  for (const key of keys) {
    if (ttl) pipeline.set(key, `[${key}]`, 'EX', ttl);
    else pipeline.set(key, `[${key}]`);
  }
  await pipeline.exec();
  return keys;
};

const there = ({ app }: PrivateConsole, keys: readonly string[]): Promise<number> =>
  app.client.exists(...keys);

const begin = async (own: PrivateConsole, target: object): Promise<{ jobId: string; auditId: string }> => {
  const answer = await post(own, `${C}/caches/invalidate`, { ...target, reason: 'e2e' });
  await expectStatus(answer, 202);
  const started = await answer.json();
  await expect
    .poll(async () => (await jobOf(own, started.jobId)).done, { timeout: 30_000 })
    .toBeGreaterThan(20);
  return started;
};

const drawerOf = (page: Page): Locator => page.getByRole('dialog');
const state = (page: Page, name: string): Locator => drawerOf(page).getByText(name, { exact: true });

/** What a description list says of a name. */
const factOf = (page: Page, name: string): Locator =>
  drawerOf(page)
    .locator('dl > div')
    .filter({ has: page.locator('dt').getByText(name, { exact: true }) })
    .locator('dd');

/** Takes back what the job that is looked at did; leaves the page at the job that did so, done. */
const undo = async (page: Page): Promise<void> => {
  await drawerOf(page).getByRole('button', { name: 'Undo' }).click();
  await drawerOf(page).getByRole('link', { name: 'Watch it' }).click();
  await expect(page).toHaveURL(/\/jobs\?job=/);
  await expect(factOf(page, 'Action')).toHaveText('Take a change back');
  await expect(state(page, 'Done')).toBeVisible({ timeout: 60_000 });
};

test('a part of a family goes, is watched from another page, and is put back whole', async ({
  own,
  pageAs,
}) => {
  const meant = await makeKeys(own, 'shouts:author=7000:limit=', 2000, 3600);
  const others = await makeKeys(own, 'shouts:author=8:limit=', 5, 3600);
  const page = await pageAs('product');
  await page.goto('/main/caches?family=discours.shouts');
  await drawerOf(page).getByRole('button', { name: 'Invalidate…' }).click();
  await drawerOf(page).getByRole('textbox', { name: 'params' }).fill('author=70*');
  await expect(drawerOf(page).getByTestId('preview')).toHaveText(/^2,000 keys/);
  await expect(drawerOf(page)).toContainText('Can be undone for 24 h: 2,000 keys are kept');
  await expect(drawerOf(page)).toContainText('shouts:author=7000:limit=');
  await page.reload();
  await expect(drawerOf(page).getByRole('textbox', { name: 'params' })).toHaveValue('author=70*');
  const elsewhere = await page.context().newPage();
  await elsewhere.goto('/main/overview');
  await drawerOf(page).getByRole('button', { name: 'Invalidate 2,000 keys' }).click();
  await expect(page).toHaveURL(/[?&]job=/);

  await elsewhere.getByRole('link', { name: /1 job/ }).click({ timeout: 20_000 });
  await elsewhere.getByRole('button', { name: /^Look at Invalidate keys of discours.shouts/ }).click();
  await expect(drawerOf(elsewhere).getByTestId('job-figures')).toHaveText(/^[1-9][\d,]* of 2,000$/);
  await expect(state(elsewhere, 'Done')).toBeVisible({ timeout: 60_000 });
  await expect(factOf(elsewhere, 'Deleted')).toHaveText('2,000');
  await expect(state(page, 'Done')).toBeVisible();
  expect(await there(own, meant)).toBe(0);
  // What the application looks for now it does not find.
  await own.app.client.mget(...meant);

  // Who watched it to its end is offered to take it back where they are; and so is whoever looks at it later.
  await expect(page.getByText('Invalidate keys: Done')).toBeVisible();
  await undo(elsewhere);
  await expect(factOf(elsewhere, 'Put back')).toHaveText('2,000');
  expect(await there(own, meant)).toBe(2000);
  const ttl = await own.app.client.ttl(meant[7]!);
  expect(ttl).toBeGreaterThan(3000);
  expect(ttl).toBeLessThanOrEqual(3600);
  expect(await there(own, others)).toBe(5);
});

test('what followed stands with the job and with its audit entry, and is marked on the chart', async ({
  own,
  pageAs,
}) => {
  const page = await pageAs('admin');
  const { items } = await (await api(own, '/api/v1/audit?action=caches.invalidate')).json();
  const { id, undoneBy } = items[0];
  expect(undoneBy).not.toBeNull();
  const range = `from=${new Date(Date.now() - 600_000).toISOString()}&to=${new Date().toISOString()}`;
  const { events } = await (await api(own, `${C}/metrics/series?${range}&stepSeconds=10`)).json();
  const mark = events.find((event: { auditId: string | null }) => event.auditId === id);
  expect(mark).toMatchObject({ kind: 'invalidation' });
  // A span is written when the next one begins.
  const surge = async (): Promise<number> => {
    const span = `from=${new Date(Date.parse(mark.at) - 10_000).toISOString()}&to=${new Date().toISOString()}`;
    const { points } = await (await api(own, `${C}/metrics/series?${span}&stepSeconds=10`)).json();
    return Math.max(...points.map(({ misses }: { misses: number | null }) => misses ?? 0));
  };
  await expect.poll(surge, { timeout: 25_000 }).toBeGreaterThanOrEqual(2000);
  await page.goto(`/audit?entry=${id}`);
  await expect(drawerOf(page).getByTestId('aftermath')).toContainText('isses');
  await drawerOf(page).getByRole('link', { name: 'See it on the chart' }).click();
  await expect(page).toHaveURL(/\/main\/overview/);
  await expect(page.getByText(/invalidated/).first()).toBeVisible({ timeout: 30_000 });
});

test('what an author’s change makes stale is a tree; a branch that is left out stays', async ({
  own,
  pageAs,
}) => {
  const keys = ['author:id:900', 'author:slug:e2e-author', 'author:followers:900', 'follows:author:900'];
  for (const key of keys) await own.app.client.set(key, '[]');
  await own.app.client.set('author:id:900', JSON.stringify({ id: 900, slug: 'e2e-author' }));
  const page = await pageAs('product');
  await page.goto('/main/caches');
  await page.getByRole('button', { name: 'Invalidate by entity, pattern or keys…' }).click();
  await drawerOf(page).getByRole('textbox', { name: 'Id' }).fill('900');
  await expect(drawerOf(page).getByTestId('preview')).toHaveText(/^4 keys/);
  await drawerOf(page).getByRole('checkbox', { name: 'Followers' }).uncheck();
  await expect(drawerOf(page).getByTestId('preview')).toHaveText(/^3 keys/);
  await page.reload();
  await expect(drawerOf(page).getByRole('checkbox', { name: 'Followers' })).not.toBeChecked();
  await drawerOf(page).getByRole('button', { name: 'Invalidate 3 keys' }).click();
  await expect(state(page, 'Done')).toBeVisible();
  expect(await there(own, keys)).toBe(1);
  expect(await own.app.client.exists('author:followers:900')).toBe(1);
});

test('branches that cannot be found out, and that reach more, say so', async ({ own, pageAs }) => {
  await own.app.client.set('authored_77', '[]');
  const page = await pageAs('product');
  await page.goto('/main/caches?do=invalidate&by=entity&id=901');
  const bySlug = drawerOf(page).getByRole('listitem').filter({ hasText: 'Author by slug' });
  await expect(bySlug).toContainText('Which key it is cannot be found out');
  await expect(bySlug.getByRole('checkbox')).toBeDisabled();
  await page.goto('/main/caches?do=invalidate&by=entity&entity=shout&id=5');
  const authored = drawerOf(page)
    .getByRole('listitem')
    .filter({ hasText: /^Authored/ });
  await expect(authored).toContainText('Reaches more than this');
  await drawerOf(page).getByRole('textbox', { name: 'Ids of its authors' }).fill('77');
  const ofOne = drawerOf(page).getByRole('listitem').filter({ hasText: 'Authored 77' });
  await expect(ofOne).toContainText('1 key');
  await expect(ofOne).not.toContainText('Reaches more');
});

test('patterns that reach nearly everything are refused at their field', async ({ own, pageAs }) => {
  const keys = await makeKeys(own, 'topic:followers:55', 12);
  const page = await pageAs('product');
  await page.goto('/main/caches?do=invalidate&by=pattern');
  const field = drawerOf(page).getByRole('textbox', { name: 'Pattern' });
  const verb = drawerOf(page).getByRole('button', { name: /^Invalidate/ });
  for (const [pattern, why] of [
    ['*', 'reaches nearly everything'],
    ['[a-z]*:*', 'reaches nearly everything'],
    ['keyward:*', "the console's own keys"],
  ] as const) {
    await field.fill(pattern);
    await expect(field).toHaveAccessibleDescription(new RegExp(why));
    await expect(verb).toBeDisabled();
  }
  await field.fill('topic:followers:55*');
  await expect(drawerOf(page).getByTestId('preview')).toHaveText(/^12 keys/);
  await expect(page).toHaveURL(/pattern=topic/);
  await drawerOf(page).getByRole('button', { name: 'Invalidate 12 keys' }).click();
  await expect(state(page, 'Done')).toBeVisible();
  expect(await there(own, keys)).toBe(0);
});

test('more than is kept for undo goes only when that is agreed to', async ({ own, pageAs }) => {
  const keys = await makeKeys(own, 'topic_content:', MOST_KEPT + 100);
  const page = await pageAs('product');
  await page.goto('/main/caches?do=invalidate&family=discours.topic-content');
  const verb = drawerOf(page).getByRole('button', { name: /^Invalidate/ });
  await expect(drawerOf(page)).toContainText('This cannot be undone');
  await expect(drawerOf(page)).toContainText('more keys than the console keeps');
  await expect(verb).toBeDisabled();
  await drawerOf(page).getByRole('checkbox', { name: 'Delete without undo' }).check();
  await verb.click();
  await expect(state(page, 'Done')).toBeVisible({ timeout: 60_000 });
  await expect(factOf(page, 'Deleted')).toHaveText('2,600');
  await expect(drawerOf(page).getByRole('button', { name: 'Undo' })).toHaveCount(0);
  expect(await there(own, keys)).toBe(0);
});

test('a second one at the same keys is told of the first; what that did until it is stopped is put back', async ({
  own,
  pageAs,
}) => {
  const keys = await makeKeys(own, 'follows:author:66', 2400);
  const page = await pageAs('product');
  await page.goto('/main/caches?do=invalidate&family=discours.follows-author');
  const verb = drawerOf(page).getByRole('button', { name: /^Invalidate (about )?[\d,]+ keys$/ });
  await expect(verb).toBeEnabled();
  const { jobId } = await begin(own, { family: 'discours.follows-author' });
  await verb.click();
  await expect(drawerOf(page)).toContainText('Another job is at these keys already');
  await drawerOf(page).getByRole('button', { name: 'Watch it' }).click();
  await expect(page).toHaveURL(new RegExp(`job=${jobId}`));
  await drawerOf(page).getByRole('button', { name: 'Stop this job…' }).click();
  await drawerOf(page).getByRole('button', { name: 'Stop the job' }).click();
  await expect(state(page, 'Cancelled')).toBeVisible();
  const { done } = await jobOf(own, jobId);
  expect(await there(own, keys)).toBe(2400 - done);
  await expect(drawerOf(page)).toContainText('What it did until then can be taken back');
  await undo(page);
  expect(await there(own, keys)).toBe(2400);
});

test('a job whose process was killed says how much it did, and that can be put back', async ({
  own,
  pageAs,
}) => {
  const keys = await makeKeys(own, 'author:followers:44', 2400);
  const { jobId } = await begin(own, { family: 'discours.author-followers', params: { id: '44*' } });
  await own.kill();
  const left = await there(own, keys);
  await own.start();
  await expect.poll(async () => (await jobOf(own, jobId)).state, { timeout: 30_000 }).toBe('interrupted');
  const { done, pending } = await jobOf(own, jobId);
  expect(2400 - left).toBeGreaterThanOrEqual(done);
  expect(2400 - left).toBeLessThanOrEqual(done + pending);
  const page = await pageAs('product');
  await page.goto(`/jobs?job=${jobId}`);
  await expect(drawerOf(page)).toContainText(`Interrupted: ${done.toLocaleString('en')} of 2,400 done.`);
  await undo(page);
  expect(await there(own, keys)).toBe(2400);
});

test('a TTL is counted first, then given with jitter, and taken back', async ({ own, pageAs }) => {
  const without = await makeKeys(own, 'topic:authors:33', 60);
  const soon = await makeKeys(own, 'topic:authors:34', 10, 600);
  const page = await pageAs('product');
  await page.goto('/main/caches?family=discours.topic-authors');
  await drawerOf(page).getByRole('button', { name: 'Set TTL…' }).click();
  await drawerOf(page).getByRole('textbox', { name: 'id', exact: true }).fill('3*');
  await drawerOf(page).getByRole('textbox', { name: 'Jitter' }).fill('0');
  await expect(drawerOf(page)).toContainText('an avalanche of misses');
  await drawerOf(page).getByRole('textbox', { name: 'TTL' }).fill('2');
  await drawerOf(page).getByRole('textbox', { name: 'Jitter' }).fill('30');
  await expect(drawerOf(page)).toContainText('They expire between 2 h and 2 h 30 min after the job');
  await drawerOf(page).getByRole('button', { name: 'Count what would change' }).click();
  await expect(drawerOf(page).getByTestId('trial')).toContainText('60 have no TTL and get one');
  await expect(drawerOf(page).getByTestId('trial')).toContainText('10 expire sooner already and stay');
  expect(await own.app.client.ttl(without[0]!)).toBe(-1);
  await drawerOf(page).getByRole('button', { name: 'Set the TTL of 60 keys' }).click();
  await expect(state(page, 'Done')).toBeVisible();
  await expect(factOf(page, 'Given a TTL')).toHaveText('60');
  const ttls = await Promise.all(without.map((key) => own.app.client.ttl(key)));
  expect(Math.min(...ttls)).toBeGreaterThan(7000);
  expect(Math.max(...ttls)).toBeLessThanOrEqual(9000);
  expect(new Set(ttls).size).toBeGreaterThan(30);
  expect(await own.app.client.ttl(soon[0]!)).toBeLessThanOrEqual(600);
  await undo(page);
  await expect(factOf(page, 'Put back')).toHaveText('60');
  expect(await own.app.client.ttl(without[0]!)).toBe(-1);
});

test('what is guarded is refused in words to who may not, and told to who may', async ({ own, pageAs }) => {
  await own.app.client.set('lock:e2e:1', 'owner');
  const address = '/main/caches?do=invalidate&by=pattern&pattern=lock:e2e:*';
  const product = await pageAs('product');
  await product.goto(address);
  await expect(drawerOf(product).getByRole('alert', { name: 'Your role does not allow this' })).toContainText(
    'it needs caches:invalidate-sensitive',
  );
  await expect(drawerOf(product).getByRole('button', { name: /^Invalidate/ })).toBeDisabled();
  const admin = await pageAs('admin');
  await admin.goto(address);
  await expect(drawerOf(admin)).toContainText('These keys are not a cache');
  await expect(drawerOf(admin).getByRole('listitem').filter({ hasText: 'guarded' })).toContainText('1 key');
  const viewer = await pageAs('viewer');
  // Rows far down a list are not in the document: the one that is looked for is filtered for.
  await viewer.goto(`${address}&q=shouts`);
  await expect(viewer.getByRole('row', { name: /shouts:\{params\}/ })).toBeVisible();
  await expect(drawerOf(viewer)).toHaveCount(0);
});

test('the drawers look right', async ({ own, pageAs }) => {
  await makeKeys(own, 'shouts:author=7000:limit=', 300, 3600);
  await makeKeys(own, 'author:followers:45', 3);
  await own.app.client.set('author:id:900', JSON.stringify({ id: 900, slug: 'e2e-author' }));
  const page = await pageAs('product');
  for (const [name, address, ready] of [
    ['family', 'family=discours.shouts', 'Set TTL…'],
    ['invalidate-entity', 'do=invalidate&by=entity&entity=shout&id=5', 'Invalidate '],
    ['invalidate-pattern', 'do=invalidate&by=pattern&pattern=shouts:*', 'Invalidate '],
    ['set-ttl', 'do=ttl&family=discours.author-followers&jitter=0', 'Count what would change'],
  ] as const) {
    await page.goto(`/main/caches?${address}`);
    await expect(drawerOf(page).getByRole('button', { name: ready })).toBeEnabled();
    await lookAt(page, `caches-${name}`);
  }
});
