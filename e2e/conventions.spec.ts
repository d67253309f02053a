import { expectAccessible } from './axe';
import { check, DONE_MS, drawerOf, finished, KEYS, makeKeys, openRule } from './convention-rules';
import { expect, test } from './fixtures';

test.describe.configure({ timeout: 180_000 });

test('a rule that fails is previewed, and fixed by a job', async ({ signInAs, aside }) => {
  const { wrong, right, taken } = await makeKeys(aside);
  const page = await signInAs('admin');
  await page.goto('/aside/conventions');
  await check(page);

  await openRule(page);
  await expect(drawerOf(page)).toContainText(`${KEYS} violations of`);
  await expect(drawerOf(page).getByText('Failed', { exact: true })).toBeVisible();
  await expect(drawerOf(page).getByRole('table', { name: 'Samples' })).toContainText('Warehouse:Cart:');
  await expectAccessible(page, 'conventions-rule');

  await drawerOf(page).getByRole('button', { name: 'Fix…' }).click();
  await drawerOf(page).getByRole('button', { name: 'Preview fix' }).click();
  const result = drawerOf(page).getByTestId('fix-result');
  await expect(result).toContainText(`${KEYS} keys break this rule`, { timeout: DONE_MS });
  await expect(result).toContainText(`${KEYS - 1} would be fixed`);
  await expect(result).toContainText('1 conflict');
  // A preview changes nothing.
  expect(await aside.exists(...wrong)).toBe(KEYS);

  await drawerOf(page).getByRole('textbox', { name: 'Reason' }).fill('e2e');
  await drawerOf(page)
    .getByRole('button', { name: `Rename ${KEYS - 1} keys` })
    .click();
  await expect(page).toHaveURL(/[?&]job=/);
  await finished(page);
  await expect(result).toContainText(`${KEYS - 1} fixed`);
  await expect(result).toContainText('1 violation is left');
  expect(await aside.exists(...right)).toBe(KEYS);
  expect(await aside.exists(...wrong)).toBe(1);
  // The key that already had the new name is unchanged.
  expect(await aside.get(taken)).toBe(`[${taken}]`);
  expect(await aside.get(right[1]!)).toBe(`[${wrong[1]}]`);
  expect(await aside.ttl(right[1]!)).toBeGreaterThan(3000);
});
