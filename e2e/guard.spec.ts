import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expectStatus } from './expect-status';
import { expect, test } from './fixtures';
import { uniqueAddress, uniqueProject } from './unique';

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
  const [ip, banned, network] = [uniqueAddress(), uniqueAddress(), `${uniqueAddress()}/24`];
  const group = randomBytes(2).toString('hex');
  const long = `2001:db8::${group}:1`;
  await appRedis.sadd(BLACKLIST, banned);
  const page = await signInAs('admin');
  await page.goto('/demo/guard?tab=blacklist');
  await page.getByRole('button', { name: 'Ban addresses' }).click();
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  await expect(drawer).toContainText('429');
  await expect(drawer).toContainText('In force within 15 seconds');
  const pasted = [ip, ` 2001:DB8:0::${group}:1 `, network, '10.1.2.3', banned, '<b>'];
  await drawer.getByLabel('Addresses').fill(pasted.join('\r\n'));
  await drawer.getByLabel('Reason').fill('Ticket 31: floods us');
  await drawer.getByRole('button', { name: 'Ban 6 addresses' }).click();

  await expect(page.getByRole('heading', { name: '2 of 6 entries banned' })).toBeVisible();
  await expect(lineOf(page, ip)).toContainText('added');
  await expect(lineOf(page, `2001:DB8:0::${group}:1`)).toContainText(`Stored as ${long}`);
  await expect(lineOf(page, network)).toContainText('invalid');
  await expect(lineOf(page, network)).toContainText('It is a network');
  await expect(lineOf(page, '10.1.2.3')).toContainText('protected');
  await expect(lineOf(page, banned)).toContainText('already there');
  await expect(lineOf(page, '<b>')).toContainText('It is not an IP address.');
  expect(await appRedis.smismember(BLACKLIST, ip, long, '10.1.2.3')).toEqual([1, 1, 0]);
  await expect(page.getByText('2 addresses banned, in force within 15 s')).toBeVisible();

  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('2 changes taken back')).toBeVisible();
  expect(await appRedis.smismember(BLACKLIST, ip, long, banned)).toEqual([0, 0, 1]);
});

test('a ban that is proposed by the overview is one look away, and is lifted again', async ({
  signInAs,
  appRedis,
}) => {
  const ip = uniqueAddress();
  const page = await signInAs('admin');
  await page.goto(`/demo/guard?ban=${ip}`);
  const drawer = page.getByRole('dialog', { name: 'Ban addresses' });
  await expect(drawer.getByLabel('Addresses')).toHaveValue(ip);
  await expect(drawer.getByText('1 will be banned')).toBeVisible();
  await drawer.getByLabel('Reason').fill('Ticket 32: over the threshold');
  await drawer.getByRole('button', { name: 'Ban 1 address' }).click();
  await expect(page.getByText('1 address banned, in force within 15 s')).toBeVisible();
  await expect(page).toHaveURL('/demo/guard?tab=blacklist');
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(1);

  await page.getByRole('searchbox', { name: 'Address' }).fill(ip);
  const row = page.getByRole('row').filter({ hasText: ip });
  await expect(row).toContainText('Ticket 32: over the threshold');
  await row.getByRole('button', { name: `Remove ${ip}` }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('Ticket 33: it was a customer');
  await page.getByRole('dialog').getByRole('button', { name: 'Lift 1 ban' }).click();
  await expect(page.getByText('1 ban lifted, in force within 15 s')).toBeVisible();
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(0);
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await expect.poll(() => appRedis.sismember(BLACKLIST, ip)).toBe(1);
  await expect(row).toContainText('Ticket 32: over the threshold');
});

test('entries that never match say why', async ({ signInAs, appRedis }) => {
  const network = `${uniqueAddress()}/24`;
  await appRedis.sadd(BLACKLIST, network, '<script>alert(9)</script>');
  const page = await signInAs('support');
  await page.goto(`/demo/guard?tab=blacklist&q=${network.slice(0, -3)}`);
  const row = page.getByRole('row').filter({ hasText: network });
  await expect(row).toContainText('never matches');
  await expect(row).toContainText('matches single addresses only');
  await page.getByRole('searchbox', { name: 'Address' }).fill('<script>');
  await expect(page.getByRole('row').filter({ hasText: '<script>alert(9)</script>' })).toBeVisible();
});

test('an admin blocks projects, unblocks one, and removes what is none', async ({ signInAs, appRedis }) => {
  const stem = uniqueProject().slice(0, 20);
  const [first, second, none] = [`${stem}0001`, `${stem}abcd`, `${stem}-not-a-project`] as const;
  await appRedis.sadd(PROJECTS, none);
  const page = await signInAs('admin');
  await page.goto('/demo/guard');
  await page.getByRole('tab', { name: 'Blocked projects' }).click();
  await expect(page).toHaveURL('/demo/guard?tab=projects');
  await page.getByRole('button', { name: 'Block projects' }).click();
  const drawer = page.getByRole('dialog', { name: 'Block projects' });
  await expect(drawer).toContainText('402');
  await expect(drawer).toContainText('In force within 5 seconds');
  const block = drawer.getByRole('button', { name: 'Block 2 projects' });
  await drawer.getByLabel('Project ids').fill(`${first}\nnot-one`);
  await expect(drawer.getByText('This line is no project id')).toBeVisible();
  await expect(block).toBeDisabled();
  await drawer.getByLabel('Project ids').fill(`${first}\n${second.toUpperCase()}`);
  await block.click();
  await expect(page.getByText('2 projects blocked, in force within 5 s')).toBeVisible();
  expect(await appRedis.smismember(PROJECTS, first, second)).toEqual([1, 1]);

  await page.getByRole('searchbox', { name: 'Project id' }).fill(stem);
  const wrong = page.getByRole('row').filter({ hasText: none });
  await expect(wrong).toContainText('blocks nothing');
  await wrong.getByRole('checkbox').click();
  await page.getByRole('checkbox', { name: `Select ${first}` }).click();
  await page.getByRole('button', { name: 'Unblock 2 projects' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unblock 2 projects' }).click();
  await expect(page.getByText('2 projects unblocked, in force within 5 s')).toBeVisible();
  expect(await appRedis.smismember(PROJECTS, first, second, none)).toEqual([0, 1, 0]);
});

test('support looks and changes nothing, by page or by HTTP; a viewer does not even look', async ({
  signInAs,
  appRedis,
  state,
}) => {
  const [ip, project] = [uniqueAddress(), uniqueProject()];
  const headers = { origin: state.baseUrl };
  const path = '/api/v1/connections/demo/guard';
  const support = await signInAs('support');
  await support.goto(`/demo/guard?ban=${ip}`);
  await expect(support.getByText(`${ip} is not banned yet`)).toBeVisible();
  await expect(support.getByRole('dialog')).toHaveCount(0);
  await expect(support.getByRole('button', { name: 'Ban addresses' })).toHaveCount(0);
  await expect(support.getByRole('checkbox')).toHaveCount(0);
  const ban = { headers, data: { ips: [ip] } };
  await expectStatus(await support.request.post(`${path}/blacklist/add`, ban), 403);
  const block = { headers, data: { projectIds: [project] } };
  await expectStatus(await support.request.post(`${path}/projects/block`, block), 403);

  const viewer = await signInAs('viewer');
  await viewer.goto('/demo/guard');
  await expect(viewer.getByRole('table')).toHaveCount(0);
  await expectStatus(await viewer.request.get(`${path}/blacklist`), 403);
  expect(await appRedis.sismember(BLACKLIST, ip)).toBe(0);
  expect(await appRedis.sismember(PROJECTS, project)).toBe(0);
});
