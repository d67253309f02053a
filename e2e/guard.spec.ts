import { randomInt } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { countPresses } from './presses';
import { uniqueAddress } from './unique';

const BLACKLIST = 'BlacklistIPsSet';

const lineOf = (page: Page, text: string) =>
  page
    .getByRole('table', { name: /entr(y|ies) banned/ })
    .getByRole('row')
    .filter({ hasText: text });

test('an admin bans pasted addresses, gets a result per line, and undoes it', async ({
  signInAs,
  appRedis,
}) => {
  const [ip, banned, network] = [uniqueAddress(), uniqueAddress(), `${uniqueAddress()}/24`];
  // Without a leading zero, which the stored text would not have.
  const group = randomInt(0x1000, 0x10000).toString(16);
  const long = `2001:db8::${group}:1`;
  await appRedis.sadd(BLACKLIST, banned);
  const page = await signInAs('admin');
  await page.goto('/demo/guard?tab=bans');
  const presses = await countPresses(page);
  await page.getByRole('button', { name: 'Ban addresses' }).click();
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  await expect(drawer).toContainText('429');
  await expect(drawer).toContainText('Takes effect within 15 seconds');
  const pasted = [ip, ` 2001:DB8:0::${group}:1 `, network, '10.1.2.3', banned, '<b>'];
  await drawer.getByLabel('Addresses').fill(pasted.join('\r\n'));
  await drawer.getByLabel('Reason').fill('Ticket 31: floods us');
  await drawer.getByRole('button', { name: 'Ban 6 addresses' }).click();

  await expect(page.getByRole('heading', { name: '2 of 6 entries banned' })).toBeVisible();
  expect(await presses()).toBe(2);
  await expect(lineOf(page, ip)).toContainText('added');
  await expect(lineOf(page, `2001:DB8:0::${group}:1`)).toContainText(`Stored as ${long}`);
  await expect(lineOf(page, network)).toContainText('invalid');
  await expect(lineOf(page, network)).toContainText('A network');
  await expect(lineOf(page, '10.1.2.3')).toContainText('protected');
  await expect(lineOf(page, banned)).toContainText('already there');
  await expect(lineOf(page, '<b>')).toContainText('Not an IP address.');
  expect(await appRedis.smismember(BLACKLIST, ip, long, '10.1.2.3')).toEqual([1, 1, 0]);
  await expect(page.getByText('2 addresses banned, takes effect within 15 s')).toBeVisible();

  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('2 changes undone.')).toBeVisible();
  expect(await presses()).toBe(3);
  expect(await appRedis.smismember(BLACKLIST, ip, long, banned)).toEqual([0, 0, 1]);
});
