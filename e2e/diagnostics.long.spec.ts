import { expect, test } from './fixtures';

test('admin sees what each figure means and what to do, and measures a key', async ({
  signInAs,
  appRedis,
}) => {
  const page = await signInAs('admin');
  await page.goto('/demo/diagnostics');
  const section = (title: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
  await expect(section('Memory')).toContainText('Fragmentation');
  await expect(section('Memory').getByRole('link', { name: 'Analysis' })).toHaveAttribute(
    'href',
    '/demo/analysis',
  );
  await expect(section('Slow log')).toContainText('Threshold');
  await expect(section('Clients')).toContainText('(this console)');
  const [, [key]] = await appRedis.scan('0', 'MATCH', 'topic:id:*', 'COUNT', 100_000);
  await section('Memory of one key').getByLabel('Key name').fill(key!);
  await section('Memory of one key').getByRole('button', { name: 'Measure key' }).click();
  await expect(section('Memory of one key')).toContainText('(exact)');
  const bytes = (await appRedis.memory('USAGE', key!, 'SAMPLES', 0)) as number;
  await expect(section('Memory of one key').getByTitle(`${bytes.toLocaleString('en-GB')} B`)).toBeVisible();
});
