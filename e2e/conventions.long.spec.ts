import { expectAccessible } from './axe';
import { check, drawerOf, makeKeys, openRule } from './convention-rules';
import { expect, test } from './fixtures';
import { openOnPhone } from './phone';

test.describe.configure({ timeout: 180_000 });

test('the checklist filters the rules, and a waiver by an admin stops a rule from failing', async ({
  signInAs,
  anotherAs,
  aside,
}) => {
  await makeKeys(aside);
  const page = await signInAs('admin');
  await page.goto('/aside/conventions');
  await check(page);
  const checklist = page.getByRole('region', { name: 'Checklist' });
  await expect(checklist.getByRole('button')).toHaveCount(7);
  await expectAccessible(page, 'conventions');
  const rows = page.getByRole('table', { name: 'Rules' }).getByRole('row');
  await expect.poll(() => rows.count()).toBeGreaterThan(7);
  const total = await rows.count();
  await checklist.getByRole('button').first().click();
  await expect(page).toHaveURL(/[?&]item=naming/);
  await expect.poll(() => rows.count()).toBeLessThan(total);

  await openRule(page);
  await drawerOf(page).getByRole('button', { name: 'Waive…' }).click();
  await drawerOf(page).getByRole('textbox', { name: 'Why' }).fill('e2e: renamed in spring');
  await drawerOf(page)
    .getByLabel('Until')
    .fill(new Date(Date.now() + 200 * 86_400_000).toISOString().slice(0, 16));
  await expectAccessible(page, 'conventions-waive');
  await drawerOf(page).getByRole('button', { name: 'Waive rule' }).click();
  const waivers = drawerOf(page).getByRole('region', { name: 'Waivers' });
  await expect(waivers).toContainText('e2e: renamed in spring');
  await drawerOf(page).getByRole('button', { name: 'Close' }).click();
  await page.goto('/aside/conventions');
  await check(page);
  await openRule(page);
  await expect(drawerOf(page).getByText('Waived', { exact: true })).toBeVisible();

  // A viewer sees all of it and no button.
  const viewer = await anotherAs('viewer');
  await openRule(viewer);
  await expect(drawerOf(viewer).getByRole('region', { name: 'Waivers' })).toContainText('renamed in spring');
  await expect(drawerOf(viewer).getByRole('button', { name: /^(Fix|Waive|End waiver)/ })).toHaveCount(0);
  await viewer.goto('/aside/conventions');
  await expect(viewer.getByRole('region', { name: 'Checklist' })).toContainText('/ 100');
  await expect(viewer.getByRole('button', { name: 'Check now' })).toHaveCount(0);
  await viewer.close();

  await waivers.getByRole('button', { name: 'End waiver…' }).click();
  await drawerOf(page).getByRole('button', { name: 'End waiver', exact: true }).click();
  await expect(waivers).toContainText('No waivers.');

  for (const tab of ['history', 'policy']) {
    await page.goto(`/aside/conventions?tab=${tab}`);
    await expect(page.getByRole('tab', { selected: true })).toBeVisible();
  }
  await openOnPhone(page, '/aside/conventions');
});
