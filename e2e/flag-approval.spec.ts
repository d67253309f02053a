import { Redis } from 'ioredis';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { keyOf, open, rowOf, turn } from './flag-list';
import { uniqueName } from './unique';

test('where approval is needed, product requests and an admin approves', { tag: '@long' }, async ({
  signInAs,
  anotherAs,
  state,
}) => {
  test.setTimeout(120_000);
  const name = uniqueName('FEATURE_E2E_ASKED_*');
  const redis = new Redis(state.liveRedisUrl);
  await redis.set(keyOf(name), 'on');
  const [asking, approving] = [await signInAs('product'), await anotherAs('admin')];
  await open(asking, name, 'live');
  await turn(asking, name, 'Request: turn off', 'Ticket 21: it is spammed');
  await expect(asking.getByText(`Change of ${name} requested`)).toBeVisible();
  expect(await redis.get(keyOf(name))).toBe('on');
  await expect(rowOf(asking, name).getByRole('button', { name: /^Withdraw/ })).toBeVisible();
  await expect(asking.getByRole('button', { name: `Approve the change of ${name}` })).toHaveCount(0);

  await open(approving, name, 'live');
  const row = rowOf(approving, name);
  await expect(row).toContainText('Ticket 21: it is spammed');
  await row.getByRole('button', { name: `Approve the change of ${name}` }).click();
  const drawer = approving.getByRole('dialog', { name: `Approve the change of ${name}` });
  await expect(drawer).toContainText('Turn off');
  await expectAccessible(approving, 'flags-approve');
  await drawer.getByRole('button', { name: 'Approve' }).click();
  await expect(approving.getByText(`Change of ${name} approved`)).toBeVisible();
  expect(await redis.get(keyOf(name))).toBe('off');
  await expect(row).toContainText('approved by');
  await expect(rowOf(asking, name)).not.toContainText('waiting for approval', { timeout: 20_000 });
  redis.disconnect();
});
