import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { Redis } from 'ioredis';
import { lookAt } from './axe';
import { expectStatus } from './expect-status';
import { expect, test } from './fixtures';
import { type PrivateConsole, privateConsole } from './private-console';
import { uniqueProject } from './unique';

const KEY = 'rate_limits';
const PAGE = '/main/guard?tab=limits';
/** The default limit of the private console: 100 events an hour. */
const DEFAULT = { HAWK_EVENTS_LIMIT: '100', HAWK_EVENTS_PERIOD: '3600s' };

const projectId = (n: number): string => `e2e1${n.toString(16).padStart(20, '0')}`;
const [ADMIN, SUPPORT, VIEWER] = ['admin', 'support', 'viewer'].map((role) => ({
  role,
  name: `The ${role}`,
  email: `${role}@example.org`,
  password: `password-of-the-${role}`,
})) as [Account, Account, Account];

interface Account {
  role: string;
  name: string;
  email: string;
  password: string;
}

let own: PrivateConsole;
let folder: string;
let redis: Redis;

const lines = (documents: object[]): string =>
  `${documents.map((each) => JSON.stringify(each)).join('\n')}\n`;
const oid = (n: number) => ({ $oid: projectId(n) });

/** Plan 1 000 an hour, one workspace with 500, projects on every level, one without a workspace. */
const writeLimits = (): void => {
  const write = (name: string, documents: object[]) =>
    writeFileSync(join(folder, `${name}.json`), lines(documents));
  write('plans', [{ _id: oid(0xa1), rateLimitSettings: { N: 1000, T: 3600 } }, { _id: oid(0xa2) }]);
  write('workspaces', [
    { _id: oid(0xb1), tariffPlanId: oid(0xa1) },
    { _id: oid(0xb2), tariffPlanId: oid(0xa1), rateLimitSettings: { N: 500 } },
    { _id: oid(0xb3), tariffPlanId: oid(0xa2) },
  ]);
  write('projects', [
    { _id: oid(1), workspaceId: oid(0xb1) },
    { _id: oid(2), workspaceId: oid(0xb2) },
    { _id: oid(3), workspaceId: oid(0xb2), rateLimitSettings: { N: 20, T: 86_400 } },
    { _id: oid(4), workspaceId: oid(0xb3) },
    { _id: oid(5) },
  ]);
};

/** Two limited, one near, two within, one over, one unlimited, two unreadable. */
const writeWindows = async (): Promise<void> => {
  const now = Math.floor(Date.now() / 1000);
  await redis.del(KEY, 'DisabledProjectsSet');
  await redis.sadd('DisabledProjectsSet', projectId(7));
  await redis.hset(KEY, {
    [projectId(1)]: `${now - 60}:950`,
    [projectId(2)]: `${now - 60}:500`,
    [projectId(3)]: `${now - 60}:3`,
    [projectId(4)]: `${now - 60}:10`,
    [projectId(5)]: `${now - 60}:7`,
    [projectId(6)]: `${now - 7200}:100`,
    [projectId(7)]: `${now - 60}:100`,
    [projectId(8)]: '<img src=x onerror=alert(1)>',
    'no project at all': 'rubbish',
  });
};

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-e2e-limits-'));
  writeLimits();
  own = await privateConsole({
    ...DEFAULT,
    HAWK_LIMITS_DIR: folder,
  });
  redis = own.app.client;
  // The first answer of a console takes longer than its later ones.
  const headers = { authorization: `Bearer ${own.apiToken}` };
  const list = await fetch(`${own.baseUrl}/api/v1/connections/main/guard/rate-limits`, { headers });
  await expectStatus(list, 200);
  for (const data of [ADMIN, SUPPORT, VIEWER]) {
    const answer = await fetch(`${own.baseUrl}/api/v1/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own.apiToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(data),
    });
    await expectStatus(answer, 201);
  }
});

test.afterAll(async () => {
  await own?.close();
  rmSync(folder, { recursive: true, force: true });
});

test.beforeEach(writeWindows);

const signIn = async (page: Page, { email, password }: Account): Promise<void> => {
  const { request } = page.context();
  const { csrfToken } = (await (await request.get(`${own.baseUrl}/api/auth/csrf`)).json()) as {
    csrfToken: string;
  };
  const answer = await request.post(`${own.baseUrl}/api/auth/callback/credentials`, {
    headers: { origin: own.baseUrl },
    form: { csrfToken, email, password, json: 'true' },
  });
  await expectStatus(answer, 200);
};

const openAs = async (page: Page, account: Account, search = ''): Promise<void> => {
  await signIn(page, account);
  const isList = (url: string) => new URL(url).pathname.endsWith('/guard/rate-limits');
  const answered =
    account === VIEWER ? null : page.waitForResponse((answer) => isList(answer.url()), { timeout: 30_000 });
  await page.goto(`${own.baseUrl}${PAGE}${search}`);
  await answered;
};

const table = (page: Page) => page.getByRole('table', { name: 'Rate limit windows' });
const rowOf = (page: Page, text: string) => table(page).getByRole('row').filter({ hasText: text });
const tile = (page: Page, name: string) =>
  page
    .getByRole('region', { name: 'Windows by state' })
    .getByRole('button', { name: new RegExp(`^${name}`) });

/** A row's cell under a heading. */
const cell = async (page: Page, row: string, heading: string) => {
  const headings = await table(page).locator('thead tr').first().locator('> *').allInnerTexts();
  const at = headings.findIndex((text) => text.trim() === heading);
  expect(at, `a column ${heading}`).toBeGreaterThanOrEqual(0);
  return rowOf(page, row).locator('td').nth(at);
};

test('windows are listed by use, counted by state, and filtered by it', async ({ page }) => {
  await openAs(page, SUPPORT);
  for (const [state, count] of [
    ['limited', 2],
    ['unreadable', 2],
    ['near limit', 1],
    ['within limit', 2],
    ['window over', 1],
    ['unlimited', 1],
  ] as const)
    await expect(tile(page, state)).toHaveText(new RegExp(`^${state}${count}$`));
  await expect(page.getByRole('region', { name: 'Windows by state' })).toContainText('All windows9');
  await expect(table(page).locator('tbody tr[data-index]')).toHaveCount(9);
  // Who is refused comes first, and what nothing limits last.
  const states = await table(page).locator('tbody tr[data-index] td:nth-child(2)').allInnerTexts();
  expect(states.slice(0, 2)).toEqual(['unreadable', 'unreadable']);
  expect(states.slice(2, 5)).toEqual(['limited', 'limited', 'near limit']);
  expect(states.slice(-2)).toEqual(['window over', 'unlimited']);

  await tile(page, 'near limit').click();
  await expect(page).toHaveURL(/state=near/);
  await expect(table(page).locator('tbody tr[data-index]')).toHaveCount(1);
  await expect(rowOf(page, projectId(1))).toContainText('95.0%');
  await expect(await cell(page, projectId(1), 'Remaining')).toHaveText('50');
  await tile(page, 'near limit').click();
  await expect(table(page).locator('tbody tr[data-index]')).toHaveCount(9);

  await table(page).getByRole('button', { name: 'Events' }).click();
  await expect(page).toHaveURL(/sort=count/);
  await expect(table(page).locator('tbody tr[data-index]').first()).toContainText(projectId(1));
});

test('each level sets its own field, and the row says which', async ({ page }) => {
  await openAs(page, SUPPORT);
  for (const [n, limit, period] of [
    [1, '1,000\nby plan', /^1\shr?\nby plan$/],
    [2, '500\nby workspace', /^1\shr?\nby plan$/],
    [3, '20\nby project', /^1\sd(ay)?\nby project$/],
    [4, '100\nby default', /^1\shr?\nby default$/],
    [5, 'unlimited\nno level', /no level$/],
    [6, '100\nby default', /^1\shr?\nby default$/],
  ] as const) {
    await expect(await cell(page, projectId(n), 'Limit')).toHaveText(limit, { useInnerText: true });
    await expect(await cell(page, projectId(n), 'Period')).toHaveText(period, { useInnerText: true });
  }
  await expect(rowOf(page, projectId(7)).getByText('blocked', { exact: true })).toBeVisible();
  await expect(rowOf(page, 'no project at all')).toContainText('is no project id');
  await expect(rowOf(page, projectId(8))).toContainText('<img src=x onerror=alert(1)>');
  await expect(page.getByText('Limits come from exported files.')).toContainText(
    'Known are 5 projects, 3 workspaces and 2 plans.',
  );
});

test('a project is found by its id, with a window or without one', async ({ page }) => {
  await redis.hdel(KEY, projectId(3));
  await openAs(page, SUPPORT);
  const search = page.getByRole('searchbox', { name: 'Project id' });
  await search.fill(projectId(2));
  await expect(table(page).locator('tbody tr[data-index]')).toHaveCount(1);
  await expect(rowOf(page, projectId(2))).toContainText('limited');
  await search.fill(projectId(3).toUpperCase());
  await expect(rowOf(page, projectId(3))).toContainText('within limit');
  await expect(await cell(page, projectId(3), 'Events')).toHaveText('0');
  await search.fill('nowhere');
  await expect(page.getByText('No window fits this filter.')).toBeVisible();
});

test('what if: how many another limit would refuse, and what one next event gets', async ({ page }) => {
  await openAs(page, SUPPORT);
  await page.getByRole('button', { name: 'What if…' }).click();
  const panel = page.getByRole('region', { name: 'What if the limit were another one?' });
  await expect(panel).toContainText('Releases do not count against the limit and pass it');
  await panel.getByLabel('Limit', { exact: true }).fill('10');
  await panel.getByLabel('Period').fill('3600');
  // Refused by 10 an hour: 950, 500, 10, 100 and both unreadable values. Over: 7 200 s ago. Within: 3 and 7.
  await expect(panel.getByTestId('what-if-all')).toHaveText(
    /With 10 events per 1\sh\w*, 6 projects would be refused now\. At present 4 are: 2 more would be\./,
  );
  const figure = (name: string) => panel.locator('dl > div').filter({ hasText: name }).locator('dd');
  await expect(figure('Windows weighed')).toHaveText('9');
  await expect(figure('Newly refused')).toHaveText('2');
  await expect(figure('Newly accepted')).toHaveText('0');

  await panel.getByLabel('Project id').fill(projectId(2));
  const present = panel.getByRole('region', { name: 'By the limit in force' });
  await expect(present).toContainText('refused, 402');
  await expect(present).toContainText('Rate limit exceeded');
  await expect(present).toContainText(/Events are accepted again in 5\d min/);
  await expect(panel).toContainText('A release passes: it does not count against the limit.');
  await panel.getByLabel('Limit', { exact: true }).fill('0');
  const chosen = panel.getByRole('region', { name: 'By the chosen limit' });
  await expect(chosen).toContainText('accepted, 200');
  await expect(panel.getByTestId('what-if-all')).toHaveText(
    /Without a limit, no project would be refused now\. At present 4 are: 4 fewer would be\./,
  );
  await expect(page).toHaveURL(new RegExp(`limit=0&period=3600&project=${projectId(2)}`));

  await panel.getByLabel('Project id').fill(projectId(8));
  await expect(present).toContainText('Failed to update rate limit');
  await expect(present).toContainText('the stored value has to be repaired');
  await panel.getByLabel('Project id').fill(projectId(7));
  await expect(present).toContainText('Project has exceeded the events limit');
  await expect(panel).toContainText('A release is refused too: the project is blocked.');
  await panel.getByLabel('Limit', { exact: true }).fill('ten');
  await expect(panel).toContainText('A whole number, 0 or more');
});

test('an admin resets a window with a reason and takes it back', async ({ page }) => {
  const before = await redis.hget(KEY, projectId(2));
  await openAs(page, ADMIN, `&q=${projectId(2)}`);
  await page.getByRole('button', { name: `Details of ${projectId(2)}` }).click();
  const details = page.getByRole('dialog', { name: `Window of ${projectId(2)}` });
  await expect(details).toContainText(before!);
  await expect(details.getByRole('region', { name: 'The next event' })).toContainText('Rate limit exceeded');
  await expect(details.getByRole('region', { name: 'Refused events' })).toContainText(
    '— RedisTimeSeries is not loaded in this Redis',
  );
  await details.getByRole('button', { name: 'Reset window' }).click();
  const drawer = page.getByRole('dialog', { name: 'Reset this window' });
  await expect(drawer).toContainText("The project's next event opens a new one");
  await drawer.getByLabel('Reason').fill('Ticket 51: their release went wrong');
  await drawer.getByRole('button', { name: 'Reset window' }).click();
  await expect(page.getByText(`The window of ${projectId(2)} is reset`)).toBeVisible();
  expect(await redis.hexists(KEY, projectId(2))).toBe(0);
  await expect(rowOf(page, projectId(2))).toContainText('within limit');

  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Taken back', { exact: true })).toBeVisible();
  expect(await redis.hget(KEY, projectId(2))).toBe(before);
  await expect(rowOf(page, projectId(2))).toContainText('limited');
  const audit = await page.request.get(`${own.baseUrl}/api/v1/audit?action=guard.rateLimits.reset`);
  expect(await audit.text()).toContain('Ticket 51: their release went wrong');
});

test('an undo leaves alone what the collector counted meanwhile', async ({ page }) => {
  await openAs(page, ADMIN, `&q=${projectId(2)}`);
  await page.getByRole('button', { name: `Details of ${projectId(2)}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset window' }).click();
  const drawer = page.getByRole('dialog', { name: 'Reset this window' });
  await drawer.getByRole('button', { name: 'Reset window' }).click();
  await expect(page.getByText(`The window of ${projectId(2)} is reset`)).toBeVisible();
  const counted = `${Math.floor(Date.now() / 1000)}:1`;
  await redis.hset(KEY, projectId(2), counted);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('The collector counted on since: another window is open.')).toBeVisible();
  expect(await redis.hget(KEY, projectId(2))).toBe(counted);
});

test('a window that was opened after one looked is not reset unseen', async ({ page }) => {
  await openAs(page, ADMIN, `&q=${projectId(2)}`);
  await page.getByRole('button', { name: `Details of ${projectId(2)}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset window' }).click();
  const drawer = page.getByRole('dialog', { name: 'Reset this window' });
  const other = `${Math.floor(Date.now() / 1000) + 1}:1`;
  await redis.hset(KEY, projectId(2), other);
  await drawer.getByRole('button', { name: 'Reset window' }).click();
  await expect(drawer.getByRole('alert').filter({ hasText: 'This is another window now' })).toBeVisible();
  expect(await redis.hget(KEY, projectId(2))).toBe(other);
  await expect(drawer).toContainText(`Stored now: ${other}`);
  await drawer.getByRole('button', { name: 'Decide about the present one' }).click();
  await expect(drawer).toContainText(`Stored: ${other}`);
  await drawer.getByRole('button', { name: 'Reset window' }).click();
  await expect(page.getByText(`The window of ${projectId(2)} is reset`)).toBeVisible();
  expect(await redis.hexists(KEY, projectId(2))).toBe(0);
});

test('on production a reset asks for the connection to be typed', async ({ signInAs, state }) => {
  const project = uniqueProject();
  const live = new Redis(state.liveRedisUrl);
  await live.hset(KEY, project, `${Math.floor(Date.now() / 1000)}:100`);
  const page = await signInAs('admin');
  await page.goto(`/live/guard?tab=limits&q=${project}`);
  await page.getByRole('button', { name: `Details of ${project}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset window' }).click();
  const drawer = page.getByRole('dialog', { name: 'Reset this window' });
  const reset = drawer.getByRole('button', { name: 'Reset window' });
  await expect(reset).toBeDisabled();
  await drawer.getByRole('textbox', { name: /live/ }).fill('live');
  await reset.click();
  await expect(page.getByText(`The window of ${project} is reset`)).toBeVisible();
  expect(await live.hexists(KEY, project)).toBe(0);
  live.disconnect();
});

test('an unreadable value is repaired either way and put back as it was', async ({ page }) => {
  await openAs(page, ADMIN, '&state=unreadable');
  await rowOf(page, projectId(8)).getByRole('button', { name: 'Repair' }).click();
  const drawer = page.getByRole('dialog', { name: 'Repair this value' });
  await expect(drawer).toContainText('<img src=x onerror=alert(1)>');
  await drawer.getByRole('radio', { name: 'Put a window that is over' }).check();
  await drawer.getByLabel('Reason').fill('Ticket 52');
  await drawer.getByRole('button', { name: 'Repair value' }).click();
  await expect(page.getByText(`The value of ${projectId(8)} is repaired`)).toBeVisible();
  expect(await redis.hget(KEY, projectId(8))).toBe('0:0');
  await expect(rowOf(page, projectId(8))).toHaveCount(0);
  await expect(tile(page, 'unreadable')).toHaveText('unreadable1');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(rowOf(page, projectId(8))).toBeVisible();
  expect(await redis.hget(KEY, projectId(8))).toBe('<img src=x onerror=alert(1)>');

  await rowOf(page, 'no project at all').getByRole('button', { name: 'Repair' }).click();
  await drawer.getByRole('button', { name: 'Repair value' }).click();
  await expect(rowOf(page, 'no project at all')).toHaveCount(0);
  expect(await redis.hexists(KEY, 'no project at all')).toBe(0);
});

test('support looks and changes nothing, a viewer does not even look', async ({ page }) => {
  const path = `${own.baseUrl}/api/v1/connections/main/guard/rate-limits`;
  const change = { headers: { origin: own.baseUrl }, data: { projectId: projectId(2) } };
  await openAs(page, SUPPORT);
  await expect(rowOf(page, projectId(8))).toBeVisible();
  await expect(page.getByRole('button', { name: 'Repair' })).toHaveCount(0);
  await rowOf(page, projectId(2)).getByText(projectId(2)).click();
  const details = page.getByRole('dialog', { name: `Window of ${projectId(2)}` });
  await expect(details.getByRole('button', { name: 'What if…' })).toBeVisible();
  await expect(details.getByRole('button', { name: 'Reset window' })).toHaveCount(0);
  for (const operation of ['reset', 'repair'])
    await expectStatus(await page.request.post(`${path}/${operation}`, change), 403);

  await page.goto('about:blank');
  await page.context().clearCookies();
  await openAs(page, VIEWER);
  await expect(page.getByText('Your role does not see this page')).toBeVisible();
  await expect(page.getByRole('table')).toHaveCount(0);
  await expectStatus(await page.request.get(path), 403);
  expect(await redis.hexists(KEY, projectId(2))).toBe(1);
});

test('limits whose folder disappears stay in use and are called stale', async ({ page }) => {
  await openAs(page, SUPPORT);
  await expect(await cell(page, projectId(1), 'Limit')).toHaveText('1,000\nby plan', { useInnerText: true });
  rmSync(folder, { recursive: true });
  try {
    const stale = page.getByRole('status').filter({ hasText: 'The limits are stale' });
    await expect(stale).toContainText('the last known ones are in use');
    await expect(stale).toContainText('plans.json is missing: its last known limits are in use.');
    await expect(await cell(page, projectId(1), 'Limit')).toHaveText('1,000\nby plan', {
      useInnerText: true,
    });
    await expect(tile(page, 'near limit')).toHaveText('near limit1');
  } finally {
    mkdirSync(folder);
    writeLimits();
  }
  await expect(page.getByText('The limits are stale')).toHaveCount(0);
});

test('a key that is no hash and a hash that is empty are told in words', async ({ page }) => {
  await redis.del(KEY);
  await openAs(page, SUPPORT);
  await expect(page.getByText('No window here')).toBeVisible();
  await redis.set(KEY, 'a string');
  await page.reload();
  await expect(page.getByRole('alert').filter({ hasText: 'is not a hash' })).toContainText(KEY);
  await redis.del(KEY);
  await writeWindows();
  // It recovers by itself.
  await expect(rowOf(page, projectId(2))).toBeVisible();
});

test('it works by keyboard', async ({ page }) => {
  await openAs(page, ADMIN);
  await expect(table(page).locator('tbody tr[data-index]')).toHaveCount(9);
  await page.keyboard.press('j');
  await expect(table(page).locator('tbody tr[data-index]').first()).toBeFocused();
  await page.keyboard.press('j');
  const second = table(page).locator('tbody tr[data-index]').nth(1);
  await expect(second).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: /^Window of/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Project id' })).toBeFocused();
});

test('it looks right: the list, what if, the details, the repair', async ({ page }) => {
  test.setTimeout(240_000);
  await openAs(page, ADMIN);
  await expect(rowOf(page, projectId(2))).toBeVisible();
  await lookAt(page, 'limits-list');
  await openAs(page, ADMIN, `&limit=10&period=3600&project=${projectId(2)}`);
  await expect(page.getByRole('region', { name: 'By the chosen limit' })).toBeVisible();
  await lookAt(page, 'limits-what-if');
  await openAs(page, ADMIN, `&q=${projectId(2)}`);
  await page.getByRole('button', { name: `Details of ${projectId(2)}` }).click();
  await expect(page.getByText('RedisTimeSeries is not loaded')).toBeVisible();
  await lookAt(page, 'limits-details');
  await openAs(page, ADMIN, '&state=unreadable');
  await rowOf(page, projectId(8)).getByRole('button', { name: 'Repair' }).click();
  await expect(page.getByRole('dialog', { name: 'Repair this value' })).toBeVisible();
  await lookAt(page, 'limits-repair');
});
