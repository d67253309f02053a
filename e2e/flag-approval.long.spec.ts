import { Redis } from 'ioredis';
import { expect, test } from './fixtures';
import { keyOf, open, rowOf, turn } from './flag-list';
import { uniqueName } from './unique';

test('a request is declined with a reason in the history; a request for a new flag is withdrawn', async ({
  signInAs,
  anotherAs,
  state,
}) => {
  test.setTimeout(90_000);
  const name = uniqueName('FEATURE_E2E_DECLINED_*');
  const redis = new Redis(state.liveRedisUrl);
  await redis.set(keyOf(name), '0');
  const [asking, declining] = [await signInAs('admin'), await anotherAs('product')];
  await open(asking, name, 'live');
  await turn(asking, name, 'Request: turn on');
  await open(declining, name, 'live');
  await rowOf(declining, name)
    .getByRole('button', { name: `Decline the change of ${name}` })
    .click();
  const drawer = declining.getByRole('dialog', { name: `Decline the change of ${name}` });
  await drawer.getByLabel('Reason').fill('Not before the audit');
  await drawer.getByRole('button', { name: 'Decline' }).click();
  await expect(declining.getByText(`Change of ${name} declined`)).toBeVisible();
  expect(await redis.get(keyOf(name))).toBe('0');
  await asking.goto(`/live/flags?q=${name}&history=${name}`);
  const history = asking.getByRole('dialog', { name: `History of ${name}` });
  await expect(history).toContainText('Decline a flag change');
  await expect(history).toContainText('Not before the audit');

  const fresh = uniqueName('FEATURE_E2E_NEW_REQUEST_*');
  await asking.goto('/live/flags');
  await asking.getByRole('button', { name: 'Create flag' }).click();
  const create = asking.getByRole('dialog', { name: 'Create flag' });
  await create.getByLabel('Name').fill(fresh);
  await create.getByRole('button', { name: 'Request new flag' }).click();
  const panel = asking
    .locator('section')
    .filter({ has: asking.getByRole('heading', { name: /^Waiting for approval/ }) });
  await expect(panel).toContainText(fresh);
  expect(await redis.exists(keyOf(fresh))).toBe(0);
  await panel.getByRole('button', { name: `Withdraw your request for ${fresh}` }).click();
  await asking.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await expect(asking.getByText(`Request for ${fresh} withdrawn`)).toBeVisible();
  await expect(panel.getByText(fresh)).toHaveCount(0);
  redis.disconnect();
});
