import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

/** Longer than the 10 ms from which a server logs a command. */
const SLOW = 'local n = 0 for i = 1, 2e7 do n = n + 1 end return redis.call("GET", KEYS[1])';

test('an admin finds a slow command with its family and client, and kills that client', async ({
  signInAs,
  appRedis,
}) => {
  const name = `worker-${uniqueId()}`;
  const worker = appRedis.duplicate({ connectionName: name, retryStrategy: () => null });
  worker.on('error', () => undefined);
  await worker.eval(SLOW, 1, 'author:id:7');
  worker.blpop(`queue:${name}`, 0).catch(() => undefined);
  const page = await signInAs('admin');
  await page.goto(`/demo/server?tab=slowlog&q=${name}`);
  const slow = page.getByRole('row').filter({ hasText: name });
  await expect(slow).toContainText('EVAL ••• ••• author:id:7');
  await slow.click();
  const details = page.getByRole('dialog', { name: /^EVAL/ });
  await expect(details.getByRole('link', { name: 'Keys of' })).toBeVisible();
  await expectAccessible(page, 'server-slow-entry');
  await details.getByRole('button', { name: 'Show this client' }).click();

  const table = page.getByRole('table', { name: 'Clients', exact: true });
  const client = table.getByRole('row').filter({ hasText: name });
  await expect(client).toContainText('blocked');
  await client.getByRole('button', { name: /^Kill client/ }).click();
  const drawer = page.getByRole('dialog', { name: /^Kill client/ });
  await expect(drawer).toContainText('Its blocking call BLPOP ends without a reply');
  const kill = drawer.getByRole('button', { name: 'Kill client' });
  await expect(kill).toBeDisabled();
  await expectAccessible(page, 'server-kill');
  const address = (
    await drawer.getByLabel(/^Type/).locator('xpath=ancestor::form').locator('code').allTextContents()
  ).find((text) => text.includes(':'));
  await drawer.getByLabel(/^Type/).fill(address ?? '');
  await drawer.getByLabel('Reason').fill('e2e: it blocks the queue');
  await kill.click();
  await expect(page.getByText(`Client ${address} was killed`)).toBeVisible();
  await expect(client).toHaveCount(0);
  expect(String(await appRedis.client('LIST'))).not.toContain(name);
});
