import { seedEveryDamage } from '../scripts/testing/damage';
import { scanAll } from '../scripts/testing/scan-all';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';

// On connection `aside`, whose keyspace is the test's own: all counts are exact.

test('states are counted and filter; a repair is counted by a dry run, then run, with exact counts', {
  tag: '@long',
}, async ({ signInAs, aside }) => {
  const seeded = await seedEveryDamage(aside);
  const page = await signInAs('support');
  await page.goto('/aside/sessions');
  const counts = page.getByRole('region', { name: 'Sessions by state' });
  await expect(counts.getByRole('button', { name: 'stale index 4' })).toBeVisible();
  const { live, unindexed, ghost, noTtl, legacy, malformed } = seeded.byState;
  for (const name of [`live ${live}`, `unindexed ${unindexed}`, `ghost ${ghost}`, `no TTL ${noTtl}`])
    await expect(counts.getByRole('button', { name })).toBeVisible();
  for (const name of [`legacy ${legacy}`, `malformed ${malformed}`])
    await expect(counts.getByRole('button', { name })).toBeVisible();
  await expect(counts).toContainText(`Sessions${seeded.sessions}`);
  await expect(counts).toContainText(`Users${seeded.users}`);

  await counts.getByRole('button', { name: 'ghost 2' }).focus();
  await expect(page.getByRole('tooltip')).toContainText('returns each time that token is used');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/state=ghost/);
  await expect(page.getByTestId('search-state')).toContainText('2 matches: complete');
  await expect(page.locator('tr[data-index]')).toHaveCount(2);

  await page.getByRole('button', { name: 'Repair…' }).last().click();
  const drawer = page.getByRole('dialog', { name: 'Repair sessions and indexes' });
  await expect(drawer.getByRole('checkbox', { checked: true })).toHaveCount(1);
  const repairButton = drawer.getByRole('button', { name: /^Repair \d+$/ });
  await expect(repairButton).toHaveCount(0);
  for (const kind of ['Stale index entries', 'Unindexed sessions', 'Legacy keys', 'Sessions without TTL'])
    await drawer.getByRole('checkbox', { name: kind }).check();
  const keys = await aside.dbsize();
  await drawer.getByRole('button', { name: 'Count repairs' }).click();
  await expect(drawer.getByText('13 to repair. Nothing has changed yet.')).toBeVisible();
  for (const words of [
    '4 entries will be removed.',
    '3 sessions will be added to an index.',
    '2 ghosts will be removed.',
    '2 keys will be deleted.',
    '1 will get a TTL, 1 will be revoked, none stays unchanged.',
    '6 malformed sessions are not repaired',
  ])
    await expect(drawer).toContainText(words);
  expect(await aside.dbsize()).toBe(keys);
  await expectAccessible(page, 'sessions-repair');

  await drawer.getByRole('checkbox', { name: 'Ghosts' }).uncheck();
  await expect(repairButton).toHaveCount(0);
  await drawer.getByRole('checkbox', { name: 'Ghosts' }).check();
  await expect(repairButton).toHaveText('Repair 13');
  await drawer.getByLabel('Reason').fill('Ticket 4412: after the restart');
  await repairButton.click();
  await expect(page.getByText('Repaired, none remains')).toBeVisible();
  const outcome = page.getByRole('table', { name: 'Result' });
  for (const [kind, count] of Object.entries({
    'Stale index entries': 4,
    'Unindexed sessions': 3,
    Ghosts: 2,
    'Legacy keys': 2,
    'Sessions without TTL': 2,
  }))
    await expect(outcome.getByRole('row', { name: kind }).getByRole('cell')).toHaveText([
      kind,
      String(count),
      String(count),
      '0',
    ]);
  await expect(page.getByText('1 session was older than the usual lifetime and revoked.')).toBeVisible();
  await page.reload();
  await expect(page.getByText('Repaired, none remains')).toBeVisible();
  await page.getByRole('link', { name: 'View in all jobs' }).click();
  await expect(page.getByRole('dialog')).toContainText('Stale index entries');
  await expect(page.getByRole('dialog')).toContainText('4 → 0');

  expect(await scanAll(aside, '[0-9]*-*-*')).toEqual([]);
  for (const index of ['user_sessions:7', 'user_sessions:8']) expect(await aside.exists(index)).toBe(0);
  expect(await aside.scard('user_sessions:4')).toBe(2);
  expect(await aside.scard('user_sessions:6')).toBe(1);
  const [, added] = await aside.scan('0', 'MATCH', 'session:6:*', 'COUNT', 10_000);
  expect(added).toHaveLength(1);
  const days = (await aside.ttl(added[0]!)) / 86_400;
  expect(days).toBeGreaterThan(28.9);
  expect(days).toBeLessThanOrEqual(29);
});
