import { createHmac } from 'node:crypto';
import { mailServer } from '../scripts/testing/mail-server';
import { webhookReceiver } from '../scripts/testing/webhook-receiver';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { openOnPhone } from './phone';
import { uniqueId } from './unique';

test('an alert fires, reaches a signed webhook and a mail server, is silenced and resolves', async ({
  signInAs,
  anotherAs,
  aside,
  state,
}) => {
  test.slow();
  const id = uniqueId();
  const [hook, mailbox, name] = [`Hook ${id}`, `Mail ${id}`, `Keys ${id}`];
  const receiver = await webhookReceiver();
  const mail = await mailServer(state.smtpPort);
  const page = await signInAs('admin');
  const dialog = page.getByRole('dialog');

  await page.goto('/aside/alerts?tab=channels');
  await page.getByRole('button', { name: 'Create channel' }).click();
  await dialog.getByLabel('Name').fill(hook);
  await dialog.getByLabel('Address').fill(receiver.url);
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  const key = await page.getByTestId('signing-key').textContent();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'Create channel' }).click();
  await dialog.getByLabel('Name').fill(mailbox);
  await dialog.getByText('E-mail', { exact: true }).click();
  await dialog.getByRole('combobox', { name: 'Recipients' }).fill('ops@example.org');
  await dialog.getByRole('combobox', { name: 'Recipients' }).press('Enter');
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await expect(page.getByRole('row').filter({ hasText: mailbox })).toContainText('ops@example.org');
  await expect(page.getByRole('row').filter({ hasText: hook })).not.toContainText('secret-path');

  await page.getByRole('tab', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Create rule' }).click();
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('combobox', { name: 'Metric' }).fill('keyward_redis_keys');
  await page.getByRole('option', { name: 'Keys', exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Threshold' }).fill('0');
  await expect(page.getByTestId('alert-preview')).toContainText('It would not fire');
  await dialog.getByRole('combobox', { name: 'Channels' }).press('ArrowDown');
  await page.getByRole('option', { name: hook }).click();
  await page.getByRole('option', { name: mailbox }).click();
  await dialog.getByLabel('Name').click();
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  await expect(page.getByRole('row').filter({ hasText: name })).toContainText('OK');

  await aside.set('e2e:alert', 'x');
  await page.getByRole('tab', { name: /Firing/ }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('Firing', { timeout: 30_000 });
  await expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBe(1);
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
  const [, t, v1] = /^t=(\d+),v1=(.*)$/.exec(String(headers['x-keyward-signature']))!;
  expect(
    createHmac('sha256', key ?? '')
      .update(`${t}.${body}`)
      .digest('hex'),
  ).toBe(v1);
  expect(JSON.parse(body)).toMatchObject({ event: 'firing', name, connection: 'aside', value: 1 });
  await expect.poll(() => mail.mails.length).toBe(1);
  expect(mail.mails[0]).toContain(`Subject: Firing: ${name} (aside)`);

  const viewer = await anotherAs('viewer');
  await viewer.goto('/aside/alerts');
  await expect(viewer.getByRole('row').filter({ hasText: name })).toContainText('Firing');
  await expect(viewer.getByRole('button', { name: /Silence|Create/ })).toHaveCount(0);
  await expect(viewer.getByRole('tab', { name: 'Channels' })).toHaveCount(0);
  const cards = await openOnPhone(viewer, '/aside/alerts');
  await expect(cards.first()).toContainText('Firing');

  await page.getByRole('button', { name: `Silence ${name}` }).click();
  await dialog.getByLabel('Reason').fill('e2e: planned work');
  await expectAccessible(page, 'alerts-silence');
  await dialog.getByRole('button', { name: 'Silence' }).click();
  await expect(row).toContainText('Silenced');

  await aside.unlink('e2e:alert');
  await expect.poll(() => receiver.received.length, { timeout: 45_000 }).toBe(2);
  expect(JSON.parse(receiver.received[1]!.body)).toMatchObject({ event: 'resolved', value: 0 });
  await page.getByRole('tab', { name: 'History' }).click();
  await expect(row).toContainText('4 delivered');
  await row.getByText(name).click();
  await expect(dialog).toContainText('the value is back');
  await expectAccessible(page, 'alerts-history');
  await page.keyboard.press('Escape');

  await page.getByRole('tab', { name: 'Firing' }).click();
  await expect(page.getByText('Nothing fires')).toBeVisible();
  await page.getByRole('tab', { name: 'Rules' }).click();
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete rule' }).click();
  await dialog.getByRole('button', { name: 'Delete rule' }).click();
  await expect(page.getByText(`${name} is deleted`)).toBeVisible();
  receiver.close();
  await mail.close();
});
