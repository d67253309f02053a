import type { Browser, Page } from '@playwright/test';
import { mailServer } from '../scripts/testing/mail-server';
import { readMail } from '../scripts/testing/read-mail';
import { expectAccessible } from './axe';
import { expect, type State, test } from './fixtures';
import { uniqueId } from './unique';

const PASSWORD = 'chosen-by-nina-1';
const PHONE = { width: 390, height: 844 };

const invite = async (page: Page, name: string, email: string, way: RegExp) => {
  await page.goto('/users');
  await page.getByRole('button', { name: 'Create user' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name').fill(name);
  await drawer.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await drawer.getByRole('radio', { name: 'Support' }).check();
  await drawer.getByRole('radio', { name: way }).check();
  await expectAccessible(page, 'invite');
  await drawer.getByRole('button', { name: 'Invite user' }).click();
};

const change = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Change ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

/** Takes the link that is shown once. */
const linkShown = async (page: Page): Promise<string> => {
  const shown = page.getByTestId('invitation-link');
  await expect(shown).toBeVisible();
  const link = (await shown.textContent())!;
  await page.getByRole('button', { name: 'I copied the link' }).click();
  await expect(shown).toHaveCount(0);
  return link;
};

/** Opens a link in a browser without a session. */
const visitor = async (browser: Browser, { baseUrl }: State, viewport = PHONE) => {
  const context = await browser.newContext({ baseURL: baseUrl, viewport });
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url(), JSON.stringify(request.headers())));
  return { page, asked, close: () => context.close() };
};

const setPassword = async (page: Page, password: string) => {
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
};

test('an invited user sets a password by the link, is signed in, and the link is dead', async ({
  signInAs,
  browser,
  state,
}) => {
  test.slow();
  const [name, email] = [`Nina ${uniqueId()}`, `${uniqueId()}@keyward.example`];
  const admin = await signInAs('admin');
  await invite(admin, name, email, /^Show me a link/);
  const link = await linkShown(admin);
  const row = admin.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText('Invited');
  await admin.reload();
  const code = new URL(link).hash.slice(1);
  expect(await admin.content()).not.toContain(code);

  const nina = await visitor(browser, state);
  const answer = await nina.page.goto(link);
  expect(answer!.headers()['cache-control']).toContain('no-store');
  expect(answer!.headers()['referrer-policy']).toBe('no-referrer');
  await expect(nina.page.getByLabel('E-mail')).toHaveValue(email);
  expect(new URL(nina.page.url()).hash).toBe('');
  await expectAccessible(nina.page, 'invitation', ['light', 'dark', 'phone']);
  await setPassword(nina.page, 'short');
  await expect(nina.page.getByRole('button', { name: 'Set password and sign in' })).toBeEnabled();
  await setPassword(nina.page, PASSWORD);
  await nina.page.waitForURL((url) => !url.pathname.endsWith('/invitation'));
  await expect(nina.page.getByRole('button', { name: `You are ${name}` })).toBeVisible();
  expect(nina.asked.join('\n')).not.toContain(code);
  await nina.page.goBack();
  expect(nina.page.url()).not.toContain(code);
  await admin.goto('/users');
  await expect(row).toContainText('Active');

  const again = await visitor(browser, state);
  await again.page.goto(link);
  await expect(again.page.getByText(/This link is not valid/)).toBeVisible();
  await expectAccessible(again.page, 'invitation-ended');

  await change(admin, name, 'Reset password…');
  await admin
    .getByRole('dialog')
    .getByRole('radio', { name: /^Show me a link/ })
    .check();
  await admin.getByRole('dialog').getByRole('button', { name: 'Make reset link' }).click();
  const reset = await linkShown(admin);
  // Another link in the same tab: the browser loads no page for it.
  await again.page.goto(reset);
  await expect(again.page.getByText(/Choose a new password/)).toBeVisible();
  await setPassword(again.page, `${PASSWORD}2`);
  await expect(again.page.getByRole('button', { name: `You are ${name}` })).toBeVisible();
  await nina.close();
  await again.close();
});

test('an invitation is mailed, shown where no mail is sent, repeated and withdrawn', async ({
  signInAs,
  browser,
  reserve,
  state,
}) => {
  test.slow();
  await reserve('mail server');
  const [name, email] = [`Otto ${uniqueId()}`, `${uniqueId()}@keyward.example`];
  const admin = await signInAs('admin');
  const mail = await mailServer(state.smtpPort);
  await invite(admin, name, email, /^Send a link by e-mail/);
  await expect(admin.getByText(`Link sent to ${email}`)).toBeVisible();
  await expect(admin.getByTestId('invitation-link')).toHaveCount(0);
  const first = /http\S+\/invitation#[0-9a-f]{96}/.exec(readMail(mail.mails[0]!).text)![0];
  await mail.close();

  await change(admin, name, 'Invite again…');
  await admin.getByRole('dialog').getByRole('button', { name: 'Make new link' }).click();
  await expect(admin.getByText(/The mail was not sent/)).toBeVisible();
  await expectAccessible(admin, 'invitation-link');
  const second = await linkShown(admin);
  const otto = await visitor(browser, state);
  await otto.page.goto(first);
  await expect(otto.page.getByText(/This link is not valid/)).toBeVisible();
  await otto.page.goto(second);
  await expect(otto.page.getByLabel('E-mail')).toHaveValue(email);

  await change(admin, name, 'Withdraw invitation…');
  await admin.getByRole('dialog').getByRole('button', { name: 'Withdraw invitation' }).click();
  await expect(admin.getByRole('row', { name: new RegExp(name) })).toHaveCount(0);
  await setPassword(otto.page, PASSWORD);
  await expect(otto.page.getByText(/This link is not valid/)).toBeVisible();
  await otto.close();
});
