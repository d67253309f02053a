import { readFileSync, writeFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';

const TOKEN = `eyJ${'aB3'.repeat(10)}.${'bC4'.repeat(10)}.${'cD5'.repeat(10)}`;

/** 1 500 keys that no catalog knows. */
const fillUnknown = async (redis: Redis): Promise<void> => {
  const pipeline = redis.pipeline();
  for (let i = 0; i < 300; i++) {
    pipeline.hset(`inv:item:${i}`, { sku: `s${i}`, stock: i });
    pipeline.set(`inv:price:${i}:eur`, i, 'EX', 3600 + i);
    pipeline.sadd(`inv:tags:shelf-${i}`, 'a');
    pipeline.set(`inv:reset:${TOKEN}${i}`, '1', 'EX', 7200);
    pipeline.zadd('inv:top', i, `s${i}`);
    pipeline.rpush(`mail/outbox/${1_000_000 + i}`, 'x');
  }
  await pipeline.exec();
};

test('an unknown keyspace gets a catalog: proposed, saved as a file, and in force without a restart', async ({
  signInAs,
  aside,
  state,
}) => {
  test.setTimeout(120_000);
  const first = readFileSync(state.catalogFile, 'utf8');
  await fillUnknown(aside);
  const page = await signInAs('product');
  try {
    await page.goto('/aside/catalog?tab=unclassified');
    const table = page.getByRole('table', { name: 'Unclassified keys by prefix' });
    await expect(table.getByText('inv:item:', { exact: true })).toBeVisible({ timeout: 40_000 });
    await page.getByRole('button', { name: 'Propose families for all' }).click();
    const dialog = page.getByRole('dialog', { name: 'Proposed families' });
    const file = dialog.getByTestId('catalog-file');
    await expect(file).toContainText('families:', { timeout: 30_000 });
    await expect(dialog).toContainText('inv:item:{');
    await expectAccessible(page, 'catalog-proposal');
    const yaml = (await file.textContent())!;
    expect(await page.content()).not.toContain('aB3aB3');
    // A reload shows the same proposal.
    await page.reload();
    await expect(file).toHaveText(yaml, { useInnerText: false });
    await dialog.getByRole('button', { name: 'Close' }).click();

    writeFileSync(state.catalogFile, yaml);
    const share = page.getByText(/of keys are classified$/);
    const covered = async () => Number.parseFloat((await share.textContent()) ?? '');
    await expect.poll(covered, { timeout: 40_000 }).toBeGreaterThanOrEqual(95);
    await page.getByRole('tab', { name: 'Families' }).click();
    await page.getByRole('searchbox', { name: 'Family, pattern or role' }).fill('inv:item');
    const row = page.getByRole('row').filter({ hasText: 'inv:item:{' });
    await expect(row).toContainText('300');
    await row.getByRole('button').first().click();
    await expect(page.getByRole('dialog')).toContainText('aside.yaml');
    await expectAccessible(page, 'catalog-family');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  } finally {
    writeFileSync(state.catalogFile, first);
  }
});
