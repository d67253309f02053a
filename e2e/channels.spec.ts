import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

const idOf = (name: string): string => Buffer.from(name).toString('base64url');

test('what an admin publishes is seen in another browser, and support cannot publish', async ({
  signInAs,
  anotherAs,
}) => {
  const channel = `e2e:${uniqueId()}`;
  const support = await anotherAs('support');
  await support.goto(`/demo/channels?watch=c.${idOf(channel)}`);
  await expect(support.getByText('No messages yet')).toBeVisible();
  await expect(support.getByRole('button', { name: 'Publish', exact: true })).toHaveCount(0);

  const admin = await signInAs('admin');
  await admin.goto('/demo/channels');
  const channels = admin.getByRole('table', { name: 'Channels' });
  // Watched only by this console, it has no subscribers.
  await expect(channels.getByRole('row').filter({ hasText: channel })).toContainText('0');
  await expect(channels.getByRole('row').filter({ hasText: 'notifications:global' })).toBeVisible();
  await admin.getByRole('button', { name: `Watch ${channel}` }).click();
  await admin.getByRole('button', { name: 'Publish', exact: true }).click();
  const drawer = admin.getByRole('dialog', { name: 'Publish a message' });
  await expect(drawer).toContainText('Nobody subscribes to this channel now.');
  await drawer.getByLabel('Type', { exact: true }).fill('greeting');
  await drawer.getByLabel('Entity type').fill('shout');
  await drawer.getByLabel('Entity id').fill('456');
  await drawer.getByLabel('Title').fill('<b>Hello</b>');
  await expectAccessible(admin, 'channels-publish');
  await drawer.getByRole('button', { name: 'Publish message' }).click();
  await expect(admin.getByText('Published: nobody received it')).toBeVisible();

  for (const page of [admin, support]) {
    const row = page.getByRole('table', { name: 'Messages' }).locator('tbody [data-row]').first();
    await expect(row).toContainText('<b>Hello</b>');
    await expect(row).toContainText('shout:456');
  }
  await support.getByRole('table', { name: 'Messages' }).locator('tbody [data-row]').first().click();
  const message = support.getByRole('dialog', { name: 'Message' });
  await expect(message).toContainText('greeting');
  await expect(message.getByRole('region', { name: 'JSON' })).toContainText('entity_id');
  await expectAccessible(support, 'channels-message');
});
