import type { Page } from '@playwright/test';
import { lookAt } from './axe';
import { expect, test } from './fixtures';

const BLACKLIST = 'BlacklistIPsSet';
const PROJECTS = 'DisabledProjectsSet';

const lineOf = (page: Page, text: string) =>
  page
    .getByRole('table', { name: /entr(y|ies) banned/ })
    .getByRole('row')
    .filter({ hasText: text });

test('an admin bans pasted addresses, is answered line by line, and takes it back', async ({
  signInAs,
  appRedis,
}) => {
  await appRedis.sadd(BLACKLIST, '198.18.7.9');
  const page = await signInAs('admin');
  await page.goto('/demo/guard?tab=blacklist');
  await page.getByRole('button', { name: 'Ban addresses' }).click();
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  await expect(drawer).toContainText('429');
  await expect(drawer).toContainText('In force within 15 seconds');
  const pasted = ['198.18.7.1', ' 2001:DB8:0::7:1 ', '198.18.7.0/24', '10.1.2.3', '198.18.7.9', '<b>'];
  await drawer.getByLabel('Addresses').fill(pasted.join('\r\n'));
  await drawer.getByLabel('Reason').fill('Ticket 31: floods us');
  await drawer.getByRole('button', { name: 'Ban 6 addresses' }).click();

  await expect(page.getByRole('heading', { name: '2 of 6 entries banned' })).toBeVisible();
  await expect(lineOf(page, '198.18.7.1')).toContainText('added');
  await expect(lineOf(page, '2001:DB8:0::7:1')).toContainText('Stored as 2001:db8::7:1');
  await expect(lineOf(page, '198.18.7.0/24')).toContainText('invalid');
  await expect(lineOf(page, '198.18.7.0/24')).toContainText('It is a network');
  await expect(lineOf(page, '10.1.2.3')).toContainText('protected');
  await expect(lineOf(page, '198.18.7.9')).toContainText('already there');
  await expect(lineOf(page, '<b>')).toContainText('It is not an IP address.');
  expect(await appRedis.smismember(BLACKLIST, '198.18.7.1', '2001:db8::7:1', '10.1.2.3')).toEqual([1, 1, 0]);
  await expect(page.getByText('2 addresses banned, in force within 15 s')).toBeVisible();

  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('2 changes taken back')).toBeVisible();
  expect(await appRedis.smismember(BLACKLIST, '198.18.7.1', '2001:db8::7:1', '198.18.7.9')).toEqual([
    0, 0, 1,
  ]);
});

test('it looks right: both lists, the drawer, the answers', async ({ signInAs, appRedis }) => {
  test.setTimeout(240_000);
  await appRedis.sadd(BLACKLIST, '198.18.11.0/24');
  await appRedis.sadd(PROJECTS, 'E2E000000000000000000003');
  const page = await signInAs('admin');
  await page.goto('/demo/guard?tab=blacklist');
  await expect(page.getByRole('row').filter({ hasText: '198.18.11.0/24' })).toBeVisible();
  await lookAt(page, 'guard-blacklist');
  await page.goto('/demo/guard?ban=198.18.11.1');
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  await expect(drawer.getByLabel('Addresses')).toHaveValue('198.18.11.1');
  await lookAt(page, 'guard-add');
  await drawer.getByLabel('Addresses').fill('198.18.11.1\n198.18.11.1:80\n10.9.9.9');
  await drawer.getByRole('button', { name: 'Ban 3 addresses' }).click();
  await expect(page.getByRole('heading', { name: '1 of 3 entries banned' })).toBeVisible();
  await lookAt(page, 'guard-answers');
  await page.goto('/demo/guard?tab=projects');
  await expect(page.getByRole('row').filter({ hasText: 'E2E000000000000000000003' })).toBeVisible();
  await lookAt(page, 'guard-projects');
});
