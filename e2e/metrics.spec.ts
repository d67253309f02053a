import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

test('a viewer pins a metric, and finds it on the overview with the value that is stored', async ({
  signInAs,
  appRedis,
}) => {
  const name = `e2e_${uniqueId()}`;
  await appRedis.set(`metrics:${name}:hourly`, '41', 'EX', 3600);
  await appRedis.set(`metrics:${name}:daily`, '12345', 'EX', 86_400);
  await appRedis.set(`metrics:${name}:weekly`, '<b>many</b>', 'EX', 86_400);
  const page = await signInAs('viewer');
  await page.goto(`/demo/metrics?q=${name}`);
  const row = page.getByRole('table', { name: 'Metrics by name' }).locator('tbody [data-row]').first();
  await expect(row).toContainText('12,345', { timeout: 30_000 });
  await expect(row).toContainText('41');
  await expect(row).toContainText('not a number');
  await row.click();
  const drawer = page.getByRole('dialog', { name });
  await drawer.getByText('daily', { exact: true }).click();
  await expectAccessible(page, 'metric');
  await drawer.getByRole('button', { name: `Pin ${name} to the overview` }).click();
  await expect(drawer.getByRole('button', { name: `Unpin ${name} from the overview` })).toBeVisible();

  await page.goto('/demo/overview');
  const tile = page
    .getByRole('region', { name: 'Pinned metrics' })
    .getByRole('listitem')
    .filter({ hasText: name });
  await expect(tile).toContainText('12,345');
  await tile.getByRole('button', { name: `Unpin ${name}` }).click();
  await expect(tile).toHaveCount(0);
  await appRedis.unlink(`metrics:${name}:hourly`, `metrics:${name}:daily`, `metrics:${name}:weekly`);
});
