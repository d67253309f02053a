import { createHmac } from 'node:crypto';
import { webhookReceiver } from '../scripts/testing/webhook-receiver';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

test('an admin gets an audit entry through a signed webhook, after a test', async ({ signInAs }) => {
  test.slow();
  const id = uniqueId();
  const [hook, name, mark] = [`Hook ${id}`, `Notes ${id}`, `Mark ${id}`];
  const receiver = await webhookReceiver();
  const page = await signInAs('admin');
  const dialog = page.getByRole('dialog');

  await page.goto('/aside/alerts?tab=channels');
  await page.getByRole('button', { name: 'Create channel' }).click();
  await dialog.getByLabel('Name').fill(hook);
  await dialog.getByLabel('Address').fill(receiver.url);
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  const key = (await page.getByTestId('signing-key').textContent()) ?? '';
  await page.getByRole('button', { name: 'I have stored it' }).click();

  await page.goto('/audit');
  await page.getByRole('tab', { name: 'Notifications' }).click();
  await page.getByRole('button', { name: 'Create notification' }).click();
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Target').fill(mark);
  await dialog.getByRole('combobox', { name: 'Channels' }).fill(hook);
  await page.getByRole('option', { name: hook }).click();
  await dialog.getByLabel('Name').click();
  await expectAccessible(page, 'notifications-form');
  await dialog.getByRole('button', { name: 'Send a test' }).click();
  await expect(dialog.getByText(`Delivered to ${hook}`)).toBeVisible();
  await dialog.getByRole('button', { name: 'Create notification' }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('At once');
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ event: 'test', notification: name });

  await page.goto('/aside/alerts?tab=channels');
  await page.getByRole('button', { name: 'Create channel' }).click();
  await dialog.getByLabel('Name').fill(mark);
  await dialog.getByLabel('Address').fill(receiver.url);
  await dialog.getByLabel('Reason').fill('e2e: notify');
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2);
  const { headers, body } = receiver.received[1]!;
  const [, t, v1] = /^t=(\d+),v1=(.*)$/.exec(String(headers['x-keyward-signature']))!;
  expect(createHmac('sha256', key).update(`${t}.${body}`).digest('hex')).toBe(v1);
  const { event, entry, href } = JSON.parse(body);
  expect({ event, entry }).toMatchObject({
    event: 'entry',
    entry: { action: 'alerts.channels.create', target: mark, connection: 'aside', reason: 'e2e: notify' },
  });
  if (href !== null) {
    await page.goto(new URL(href).pathname + new URL(href).search);
    await expect(dialog).toContainText('e2e: notify');
  }

  await page.goto('/audit?tab=notifications');
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete notification' }).click();
  await dialog.getByRole('button', { name: 'Delete notification' }).click();
  await expect(page.getByText(`${name} is deleted`)).toBeVisible();
  receiver.close();
});
