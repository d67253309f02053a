import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { keyOf, open, rowOf, switchOf } from './flag-list';
import { uniqueName } from './unique';

/** The value of a date-and-time field in UTC; never a full minute, which the browser would shorten. */
const localTime = (at: number): string => {
  const text = new Date(at).toISOString().slice(0, 19);
  return text.endsWith(':00') ? localTime(at + 1000) : text;
};

test('a flag is created with a checked name, described, deleted, and restored', async ({
  signInAs,
  appRedis,
}) => {
  test.setTimeout(120_000);
  const name = uniqueName('FEATURE_E2E_MADE_*');
  const page = await signInAs('product');
  await page.goto('/demo/flags');
  await page.getByRole('button', { name: 'Create flag' }).click();
  const create = page.getByRole('dialog', { name: 'Create flag' });
  const verb = create.getByRole('button', { name: 'Create flag' });
  await create.getByLabel('Name').fill('FEATURE_e2e');
  await expect(create.getByText('Use only capital letters')).toBeVisible();
  await expectAccessible(page, 'flags-create');
  await expect(verb).toBeDisabled();
  await create.getByLabel('Name').fill(name);
  await create.getByRole('combobox', { name: 'Stored format' }).click();
  await page.getByRole('option', { name: 'yes/no' }).click();
  await create.getByLabel('Description').fill('Lets people make things');
  await verb.click();
  await expect(page.getByText(`${name} created`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('no');

  await open(page, name);
  await page.getByRole('button', { name: `Describe ${name}` }).click();
  const details = page.getByRole('dialog', { name: `Describe ${name}` });
  await details.getByLabel('Description').fill('Lets people make <b>other</b> things');
  await details.getByLabel('Owner').fill('Team Search');
  await details.getByRole('button', { name: 'Save' }).click();
  await expect(details).toHaveCount(0);
  await expect(rowOf(page, name)).toContainText('Lets people make <b>other</b> things');

  await page.getByRole('button', { name: `Delete ${name}` }).click();
  const remove = page.getByRole('dialog', { name: `Delete ${name}` });
  await expect(remove.getByRole('button', { name: 'Delete flag' })).toBeDisabled();
  await remove.getByLabel(`Type ${name}`).fill(name);
  await remove.getByRole('button', { name: 'Delete flag' }).click();
  // The empty list asks whether it was deleted.
  await expect(page.getByText(`${name} deleted`, { exact: true })).toBeVisible();
  await expect(rowOf(page, name)).toHaveCount(0);
  expect(await appRedis.exists(keyOf(name))).toBe(0);

  await page
    .getByRole('status')
    .filter({ hasText: `${name} deleted` })
    .getByRole('button', { name: 'Undo', exact: true })
    .click();
  await expect(rowOf(page, name)).toContainText('Lets people make <b>other</b> things');
  expect(await appRedis.get(keyOf(name))).toBe('no');

  // When the message is gone, the flag's history offers the undo.
  await page.getByRole('button', { name: `Delete ${name}` }).click();
  await remove.getByLabel(`Type ${name}`).fill(name);
  await remove.getByRole('button', { name: 'Delete flag' }).click();
  await expect(rowOf(page, name)).toHaveCount(0);
  await page.goto(`/demo/flags?q=${name}`);
  await page.getByRole('button', { name: `Was ${name} deleted?` }).click();
  const history = page.getByRole('dialog').filter({ hasText: name });
  await history.getByRole('button', { name: /^Undo/ }).first().click();
  await expect.poll(() => appRedis.get(keyOf(name))).toBe('no');
});

test('product schedules a change and sees it run', async ({ signInAs, appRedis, state }) => {
  test.setTimeout(90_000);
  const name = uniqueName('FEATURE_E2E_DUE_*');
  await appRedis.set(keyOf(name), 'off');
  const page = await signInAs('product');
  await open(page, name);
  await page.getByRole('button', { name: `${name}'s schedule`, exact: true }).click();
  const schedule = page.getByRole('dialog', { name: `${name}'s schedule` });
  await schedule.getByLabel('When').fill(localTime(Date.now() - 60_000));
  await expect(schedule.getByText('This time is in the past.')).toBeVisible();
  await expect(schedule.getByRole('button', { name: 'Schedule change' })).toBeDisabled();
  await schedule.getByLabel('Reason').fill('Ticket 11: launch');
  await schedule.getByRole('button', { name: 'Add change' }).click();
  await schedule
    .getByRole('group', { name: 'Change 2' })
    .getByRole('button', { name: 'Tomorrow 09:00' })
    .click();
  await schedule
    .getByLabel('When')
    .first()
    .fill(localTime(Date.now() + 5000));
  await schedule.getByRole('button', { name: 'Schedule 2 changes' }).click();
  await expect(page.getByText(`2 changes of ${name} scheduled`)).toBeVisible();
  await expect(rowOf(page, name)).toContainText('+1 more');

  const { email } = state.accounts.find(({ role }) => role === 'product')!;
  const row = rowOf(page, name);
  await expect(row).toContainText(`schedule, on behalf of ${email}`, { timeout: 30_000 });
  await expect(row).toContainText('Ticket 11: launch');
  await expect(switchOf(page, name)).toBeChecked();
  expect(await appRedis.get(keyOf(name))).toBe('on');
  await expect(row).not.toContainText('more');

  // Somebody changes it outside the console, so the change scheduled for the earlier value no longer fits.
  await page.getByRole('button', { name: `${name}'s schedule`, exact: true }).click();
  const list = page.getByRole('list', { name: 'Scheduled changes' });
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await schedule.getByLabel('When').fill(localTime(Date.now() + 5000));
  await schedule.getByRole('button', { name: 'Schedule change' }).click();
  await expect(page.getByText(`Change of ${name} scheduled`)).toBeVisible();
  await appRedis.set(keyOf(name), 'ON');
  await expect(row).toContainText('1 suspended', { timeout: 30_000 });
  await page.getByRole('button', { name: `${name}'s schedule`, exact: true }).click();
  await expect(list).toContainText('The flag was changed after');
  await expectAccessible(page, 'flags-plan');
  await list
    .getByRole('button', { name: /^Cancel scheduled change/ })
    .first()
    .click();
  // It closes, because the undo is offered below it.
  await expect(schedule).toBeHidden();
  await expect(page.getByRole('status').getByRole('button', { name: 'Undo' }).last()).toBeInViewport();
  await page.getByRole('button', { name: `${name}'s schedule`, exact: true }).click();
  await expect(list.getByRole('listitem')).toHaveCount(1);
});
