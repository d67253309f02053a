import { expect, test } from './fixtures';
import { expectNoSidewaysScroll, openOnPhone, tap } from './phone';
import { uniqueName } from './unique';

const keyOf = (name: string): string => `env_vars:${name}`;

test('product on a phone switches, schedules, undoes and deletes a flag', async ({ signInAs, appRedis }) => {
  test.setTimeout(90_000);
  const name = uniqueName('FEATURE_E2E_PHONE_*');
  await appRedis.set(keyOf(name), 'off');
  const page = await signInAs('product');
  const cards = await openOnPhone(page, `/demo/flags?q=${name}`);
  await tap(cards.locator('.mantine-Switch-body'));
  await tap(page.getByRole('button', { name: 'Turn on', exact: true }));
  await expect(page.getByText(`${name} is on`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('on');

  await tap(page.getByRole('button', { name: new RegExp(`^Details ${name}`) }));
  await tap(page.getByRole('button', { name: `${name}'s schedule` }));
  const schedule = page.getByRole('dialog', { name: `${name}'s schedule` });
  await tap(schedule.getByRole('button', { name: 'Tomorrow 09:00' }));
  await expectNoSidewaysScroll(page);
  await tap(schedule.getByRole('button', { name: 'Schedule change' }));
  await expect(page.getByText(`Change of ${name} scheduled`)).toBeVisible();
  await expect(cards.first()).toContainText('off in');

  await tap(page.getByRole('button', { name: `History of ${name}` }));
  const history = page.getByRole('dialog', { name: `History of ${name}` });
  await tap(history.getByRole('button', { name: 'Undo' }));
  await expect.poll(() => appRedis.get(keyOf(name))).toBe('off');
  await page.goBack();
  await expect(cards.getByRole('switch')).not.toBeChecked();

  await tap(page.getByRole('button', { name: `Delete ${name}` }));
  const remove = page.getByRole('dialog', { name: `Delete ${name}` });
  await remove.getByLabel(`Type ${name}`).fill(name);
  await tap(remove.getByRole('button', { name: 'Delete flag' }));
  await expect.poll(() => appRedis.exists(keyOf(name))).toBe(0);
});

test('an admin on a phone reveals and edits a variable, and undoes the change in the audit log', async ({
  signInAs,
  appRedis,
}) => {
  test.setTimeout(90_000);
  const name = uniqueName('E2E_PHONE_*_TOKEN');
  await appRedis.set(keyOf(name), 'swordfish-of-e2e');
  const page = await signInAs('admin');
  await openOnPhone(page, `/demo/env?q=${name}`);
  await tap(page.getByRole('button', { name: `Reveal ${name}` }));
  await expect(page.getByTestId('revealed')).toHaveText('swordfish-of-e2e');
  await tap(page.getByRole('button', { name: 'Hide now' }));
  await tap(page.getByRole('button', { name: `Edit ${name}` }));
  const edit = page.getByRole('dialog', { name: `Edit ${name}` });
  await edit.getByLabel('Value', { exact: true }).fill('halibut-of-e2e');
  await edit.getByLabel('Reason').fill('e2e: at night');
  await expectNoSidewaysScroll(page);
  await tap(edit.getByRole('button', { name: 'Save' }));
  await expect(page.getByText(`${name} saved`)).toBeVisible();
  await expect(edit).toBeHidden();
  expect(await appRedis.get(keyOf(name))).toBe('halibut-of-e2e');

  const entries = await openOnPhone(page, `/audit?target=${name}&action=env.set`);
  await expect(entries.first()).toContainText('e2e: at night');
  await tap(entries.first().getByRole('button', { name: 'Change a variable' }));
  const entry = page.getByRole('dialog');
  await tap(entry.getByRole('button', { name: 'Undo…' }));
  await tap(entry.getByRole('button', { name: 'Undo', exact: true }));
  await expect(entry.getByRole('status')).toContainText('Change undone.');
  expect(await appRedis.get(keyOf(name))).toBe('swordfish-of-e2e');
  await appRedis.unlink(keyOf(name));
});

test('an admin on a phone reaches backups, users and API tokens', async ({ signInAs }) => {
  const page = await signInAs('admin');
  const users = await openOnPhone(page, '/users');
  await tap(users.first().getByRole('button', { name: /^Change / }));
  await tap(page.getByRole('menuitem', { name: 'Change role…' }));
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.goBack();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  for (const path of ['/users?tab=tokens', '/demo/env?tab=backups', '/account']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectNoSidewaysScroll(page);
  }
});
