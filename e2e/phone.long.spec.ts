import { expect, test } from './fixtures';
import { keyOf } from './flag-list';
import { expectNoSidewaysScroll, openOnPhone, tap } from './phone';
import { uniqueAddress, uniqueName, uniqueProject } from './unique';

// Each story is one job of a role, done with a thumb: no table scrolls sideways, and each button is large enough.

test('product turns a flag off and schedules a change', async ({ signInAs, appRedis }) => {
  const name = uniqueName('FEATURE_E2E_THUMB_*');
  await appRedis.set(keyOf(name), 'on');
  const page = await signInAs('product');
  const cards = await openOnPhone(page, `/demo/flags?q=${name}`);
  await cards.getByRole('switch').locator('xpath=ancestor::label').click();
  await page.getByRole('button', { name: 'Turn off', exact: true }).click();
  await expect.poll(() => appRedis.get(keyOf(name))).toBe('off');
  await tap(cards.getByRole('button', { name: `Details ${name}` }));
  await tap(cards.getByRole('button', { name: `${name}'s schedule` }));
  const schedule = page.getByRole('dialog', { name: `${name}'s schedule` });
  await schedule.getByRole('button', { name: 'Tomorrow 09:00' }).click();
  await expectNoSidewaysScroll(page);
  await schedule.getByRole('button', { name: 'Schedule change' }).click();
  await expect(page.getByText(`Change of ${name} scheduled`)).toBeVisible();
});

test('an admin bans an address from the traffic, and undoes it from the audit log', async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  await reserve('CurrentPeriodMap');
  const ip = uniqueAddress();
  await appRedis.del('CurrentPeriodMap');
  await appRedis.hset('CurrentPeriodMap', { [ip]: 150, '198.19.8.1': 20 });
  const page = await signInAs('admin');
  const cards = await openOnPhone(page, '/demo/guard?top=1000');
  await tap(cards.getByRole('button', { name: `Ban ${ip}` }));
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  await drawer.getByLabel('Reason').fill('Ticket 51: floods us');
  await drawer.getByRole('button', { name: 'Ban 1 address' }).click();
  await expect.poll(() => appRedis.sismember('BlacklistIPsSet', ip)).toBe(1);
  await expect(drawer).toHaveCount(0);

  const entries = await openOnPhone(page, '/audit?action=guard.blacklist.add');
  const entry = entries.filter({ hasText: 'Ticket 51: floods us' }).first();
  await tap(entry.getByRole('button').first());
  await page.getByRole('dialog').getByRole('button', { name: 'Undo…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => appRedis.sismember('BlacklistIPsSet', ip)).toBe(0);
});

test('an admin invalidates a family', async ({ signInAs, appRedis, reserve }) => {
  await reserve('topic:followers');
  await appRedis.set('topic:followers:93000001', '[1]');
  const page = await signInAs('admin');
  const cards = await openOnPhone(page, '/demo/families?q=topic-followers');
  await expect(cards.first()).toContainText('Hit rate');
  await tap(cards.first().getByRole('button', { name: /^Invalidate / }));
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByTestId('preview')).toContainText('keys', { timeout: 20_000 });
  await drawer.getByLabel('Reason').fill('e2e: by thumb');
  await drawer.getByRole('button', { name: /^Invalidate (about )?[\d,]+ keys?$/ }).click();
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible();
});

test('an admin resets a rate limit', async ({ signInAs, appRedis }) => {
  const project = uniqueProject();
  await appRedis.hset('rate_limits', project, `${Math.floor(Date.now() / 1000)}:950`);
  const page = await signInAs('admin');
  // The files of limits are there only while another test needs them.
  const cards = await openOnPhone(page, `/demo/guard?tab=limits&q=${project}`, { alert: true });
  await expect(cards.first()).toContainText('Use');
  await tap(cards.getByRole('button', { name: `Details of ${project}` }));
  await page.getByRole('dialog').getByRole('button', { name: 'Reset window' }).click();
  const drawer = page.getByRole('dialog', { name: 'Reset this window' });
  await drawer.getByLabel('Reason').fill('e2e: by thumb');
  await drawer.getByRole('button', { name: 'Reset window' }).click();
  await expect.poll(() => appRedis.hexists('rate_limits', project)).toBe(0);
});

test('a viewer reads hit rates, and filters in a sheet', async ({ signInAs }) => {
  const page = await signInAs('viewer');
  const cards = await openOnPhone(page, '/demo/families');
  await expect(cards.first()).toContainText('Hit rate');
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  await page.getByRole('dialog', { name: 'Filters' }).getByText('Caches only').click();
  await page.getByRole('button', { name: 'Show results' }).click();
  await expect(page.getByRole('button', { name: 'Filters (1)' })).toBeVisible();
});

test('the first row of each other list stands in the upper half', async ({ signInAs }) => {
  test.setTimeout(90_000);
  const page = await signInAs('admin');
  for (const address of ['/demo/tokens', '/demo/guard?tab=bans', '/demo/conventions', '/audit', '/users'])
    await openOnPhone(page, address);
});
