import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { expectAccessible } from './axe';
import { expect, type State, test } from './fixtures';

const KEY = 'rate_limits';

const projectId = (n: number): string => `e2e1${n.toString(16).padStart(20, '0')}`;

const lines = (documents: object[]): string =>
  `${documents.map((document) => JSON.stringify(document)).join('\n')}\n`;
const oid = (n: number) => ({ $oid: projectId(n) });

/** Plan 1 000 an hour, one workspace with 500, projects on every level, one without a workspace. */
const writeLimits = ({ limitsFolder: folder }: State): void => {
  mkdirSync(folder, { recursive: true });
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

/** Two limited, one near, two within, one expired, one unlimited, two unreadable. */
const writeWindows = async (redis: Redis): Promise<void> => {
  const now = Math.floor(Date.now() / 1000);
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

// The limits (files) and windows (a hash) belong to connection `aside`, which one test uses at a time.
test.beforeEach(async ({ aside, state }) => {
  writeLimits(state);
  await writeWindows(aside);
});

/** Opens the page and waits for its list. */
const open = async (page: Page, search = ''): Promise<void> => {
  const isList = (url: string) => new URL(url).pathname.endsWith('/guard/rate-limits');
  const answered = page.waitForResponse((answer) => isList(answer.url()), { timeout: 30_000 });
  await page.goto(`/aside/guard?tab=limits${search}`);
  await answered;
};

const table = (page: Page) => page.getByRole('table', { name: 'Rate limit windows' });
const rowOf = (page: Page, text: string) => table(page).getByRole('row').filter({ hasText: text });

test('an admin resets a window with a reason and undoes it', async ({ signInAs, aside: redis }) => {
  const page = await signInAs('admin');
  const before = await redis.hget(KEY, projectId(2));
  await open(page, `&q=${projectId(2)}`);
  await page.getByRole('button', { name: `Details of ${projectId(2)}` }).click();
  const details = page.getByRole('dialog', { name: `Window of ${projectId(2)}` });
  await expect(details).toContainText(before!);
  await expect(details.getByRole('region', { name: 'The next event' })).toContainText('Rate limit exceeded');
  await expect(details.getByRole('region', { name: 'Refused events' })).toContainText(
    '— RedisTimeSeries is not loaded in this Redis',
  );
  await details.getByRole('button', { name: 'Reset window' }).click();
  const drawer = page.getByRole('dialog', { name: 'Reset this window' });
  await expect(drawer).toContainText('The project’s next event opens a new one');
  await drawer.getByLabel('Reason').fill('Ticket 51: their release went wrong');
  await drawer.getByRole('button', { name: 'Reset window' }).click();
  await expect(page.getByText(`Window of ${projectId(2)} reset`)).toBeVisible();
  expect(await redis.hexists(KEY, projectId(2))).toBe(0);
  await expect(rowOf(page, projectId(2))).toContainText('within limit');

  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Change undone.', { exact: true })).toBeVisible();
  expect(await redis.hget(KEY, projectId(2))).toBe(before);
  await expect(rowOf(page, projectId(2))).toContainText('limited');
  const audit = await page.request.get('/api/v1/audit?action=guard.rateLimits.reset&connection=aside');
  expect(await audit.text()).toContain('Ticket 51: their release went wrong');

  await open(page, `&limit=10&period=3600&project=${projectId(2)}`);
  await expect(page.getByRole('region', { name: 'Tested limit' })).toBeVisible();
  await open(page, '&state=unreadable');
  await rowOf(page, projectId(8)).getByRole('button', { name: 'Repair' }).click();
  await expect(page.getByRole('dialog', { name: 'Repair this value' })).toBeVisible();
  await expectAccessible(page, 'limits-repair');
});
