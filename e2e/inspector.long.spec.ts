import { gzipSync } from 'node:zlib';
import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { expectNoSidewaysScroll, openOnPhone } from './phone';
import { uniqueId } from './unique';

const openKey = async (page: Page, key: string): Promise<void> => {
  await page.goto(`/demo/keys/${Buffer.from(key).toString('base64url')}`);
  await expect(page.getByRole('heading', { level: 1, name: key })).toBeVisible();
};

const form = (page: Page, name: string): Locator =>
  page.getByRole('radiogroup', { name: 'Show as' }).getByText(name, { exact: true });

test('an admin looks at values of every kind and changes their elements and TTL', async ({
  signInAs,
  appRedis,
}) => {
  test.setTimeout(150_000);
  const id = uniqueId();
  const [json, packed, bits, scores, log] = ['json', 'packed', 'bits', 'scores', 'log'].map(
    (name) => `e2e:${name}:${id}`,
  ) as [string, string, string, string, string];
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  await appRedis.set(json, `{"name":"Anna","tags":["a","b"],"script":"<b>bold</b>","deep":${deep}}`);
  await appRedis.set(packed, gzipSync('{"city":{"name":"Tbilisi"}}'));
  await appRedis.setbit(bits, 7, 1);
  await appRedis.setbit(bits, 1000, 1);
  await appRedis.zadd(scores, 1.5, 'one', 2, 'two\u0007');
  await appRedis.xadd(log, '1700000000000-0', 'event', 'started');
  const page = await signInAs('admin');

  await openKey(page, json);
  const tree = page.getByRole('region', { name: 'JSON tree' });
  await expect(tree).toContainText('Anna');
  await expect(tree).toContainText('<b>bold</b>');
  await page.getByRole('button', { name: 'Fold tags' }).click();
  await expectAccessible(page, 'key-json');
  for (let level = 0; level < 60; level++) {
    if (await page.getByRole('button', { name: 'Show deeper' }).isVisible()) break;
    await page
      .getByRole('button', { name: /^Unfold (?:deep|0)$/ })
      .last()
      .click();
  }
  await page.getByRole('button', { name: 'Show deeper' }).click();
  await expect(page.getByText('Inside a deep node')).toBeVisible();
  await form(page, 'Hex').click();
  await expect(page.getByRole('region', { name: 'Hex' })).toContainText('7b 22 6e 61 6d 65 22 3a');

  await openKey(page, packed);
  await expect(page.getByText(/^Decoded: gzip/)).toBeVisible();
  await expect(tree).toContainText('Tbilisi');

  await openKey(page, bits);
  await form(page, 'Bitmap').click();
  await expect(page.getByRole('list', { name: 'Positions of set bits' })).toContainText('1,000');

  await openKey(page, scores);
  const elements = page.getByRole('table', { name: 'Elements' });
  await expect(elements.getByRole('row', { name: /two\\x07 2/ })).toBeVisible();
  await page.getByRole('button', { name: 'Actions for one' }).click();
  await page.getByRole('menuitem', { name: 'Set score…' }).click();
  const scoring = page.getByRole('dialog', { name: 'Set the score of one' });
  await scoring.getByRole('textbox', { name: 'Score' }).fill('7.25');
  await expectAccessible(page, 'key-score');
  await scoring.getByRole('button', { name: 'Set score' }).click();
  await expect(elements.getByRole('row', { name: /one 7\.25/ })).toBeVisible();
  expect(await appRedis.zscore(scores, 'one')).toBe('7.25');

  await openKey(page, log);
  await expect(elements.getByRole('row', { name: /1700000000000-0/ })).toContainText('started');
  await page.getByRole('button', { name: 'Add entry' }).click();
  const adding = page.getByRole('dialog', { name: /^Add an entry/ });
  await adding.getByRole('textbox', { name: 'Field' }).fill('event');
  await adding.getByRole('textbox', { name: 'Value' }).fill('stopped');
  await expectAccessible(page, 'key-entry');
  await adding.getByRole('button', { name: 'Add entry' }).click();
  await expect(elements.getByRole('row', { name: /stopped/ })).toBeVisible();
  await page.getByRole('button', { name: 'Set TTL…' }).click();
  const expiring = page.getByRole('dialog', { name: /^Set the TTL/ });
  await expiring.getByText('1 d', { exact: true }).click();
  await expectAccessible(page, 'key-ttl');
  await expiring.getByRole('button', { name: 'Set TTL' }).click();
  await expect.poll(() => appRedis.ttl(log)).toBeGreaterThan(86_000);
  await page.getByRole('status').filter({ hasText: 'TTL of' }).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => appRedis.ttl(log)).toBe(-1);

  // The application replaces the key by one of another type while it is open.
  await appRedis.multi().del(log).sadd(log, 'member').exec();
  await expect(page.getByText('The type changed from stream to set')).toBeVisible({ timeout: 20_000 });
  await expect(elements.getByRole('row', { name: /member/ })).toBeVisible();
  await appRedis.unlink(json, packed, bits, scores, log);
  await expect(page.getByText('This key no longer exists')).toBeVisible({ timeout: 20_000 });
});

test('on a phone elements are cards, and nothing scrolls sideways', async ({ signInAs, appRedis }) => {
  const key = `e2e:hash:${uniqueId()}`;
  await appRedis.hset(key, { city: 'Tbilisi', note: 'x'.repeat(300) });
  const page = await signInAs('admin');
  const cards = await openOnPhone(page, `/demo/keys/${Buffer.from(key).toString('base64url')}`);
  await cards.filter({ hasText: 'city' }).click();
  await expect(page.getByRole('dialog', { name: 'city' })).toContainText('Tbilisi');
  await page.keyboard.press('Escape');
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await appRedis.unlink(key);
});
