import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { keyOf, open, press, switchOf } from './flag-list';
import { uniqueName } from './unique';

test('of two users who switch it at once one sees both values', async ({ signInAs, anotherAs, appRedis }) => {
  const name = uniqueName('FEATURE_E2E_COLLIDE_*');
  await appRedis.set(keyOf(name), 'yes');
  const [first, second] = [await signInAs('product'), await anotherAs('admin')];
  for (const page of [first, second]) {
    await open(page, name);
    await press(page, name);
    await expect(page.getByRole('button', { name: 'Turn off', exact: true })).toBeVisible();
  }
  await first.getByRole('button', { name: 'Turn off', exact: true }).click();
  await expect(first.getByText(`${name} is off`)).toBeVisible();
  await second.getByRole('button', { name: 'Turn off', exact: true }).click();
  const alert = second.getByRole('dialog').getByRole('alert');
  await expect(alert).toContainText('Someone changed this flag');
  await expect(alert).toContainText('yes');
  await expect(alert).toContainText('no');
  await expect(second.getByRole('button', { name: 'Turn off anyway' })).toHaveCount(0);
  await expectAccessible(second, 'flags-changed');
  expect(await appRedis.get(keyOf(name))).toBe('no');
  await second.getByRole('button', { name: 'Keep current value' }).click();
  await expect(switchOf(second, name)).not.toBeChecked();
});
