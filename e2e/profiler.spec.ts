import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

test('a product manager profiles the commands of a server', async ({ signInAs, appRedis, reserve }) => {
  await reserve('profile-demo');
  const secret = `secret${uniqueId()}`;
  const page = await signInAs('product');
  await page.goto('/demo/profiler');
  await expect(page.getByText(/at most \d/)).toBeVisible();
  await page.getByRole('button', { name: 'New profile' }).click();
  const drawer = page.getByRole('dialog', { name: 'New profile' });
  await drawer.getByRole('textbox', { name: 'Seconds' }).fill('4');
  const begin = drawer.getByRole('button', { name: 'Profile for 4 seconds' });
  await expect(begin).toBeDisabled();
  await drawer.getByRole('checkbox').check();
  await drawer.getByLabel('Reason').fill('e2e: who is asking');
  await expectAccessible(page, 'profiler-start');
  await begin.click();
  await expect(page).toHaveURL(/job=/);
  const families = page.getByRole('tab', { name: 'Families' });
  // The application's calls while it runs; a busy machine may end it early, which it says.
  while (!(await families.isVisible())) await appRedis.set(`e2e:profiler:${uniqueId()}`, secret, 'EX', 60);

  await expect(page.getByRole('region', { name: 'Figures of the profile' })).toContainText('stated');
  await page.reload();
  await page.getByRole('tab', { name: 'Sample' }).click();
  await expect(page.getByRole('searchbox', { name: 'Search the sample' })).toBeVisible();
  await expect(page.locator('body')).not.toContainText(secret);
  await page.getByRole('button', { name: 'Export' }).first().click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV' }).first().click(),
  ]);
  expect(file.suggestedFilename()).toBe('keyward-demo-profile.csv');
});
