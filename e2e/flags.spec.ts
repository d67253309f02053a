import { expect, test } from './fixtures';
import { keyOf, open, rowOf, switchOf, turn } from './flag-list';
import { countPresses } from './presses';
import { uniqueName } from './unique';

test('product turns a flag off and undoes it; the stored format is kept', async ({ signInAs, appRedis }) => {
  const name = uniqueName('FEATURE_E2E_UNDO_*');
  await appRedis.set(keyOf(name), 'YES');
  const page = await signInAs('product');
  await open(page, name);
  await expect(switchOf(page, name)).toBeChecked();
  const presses = await countPresses(page);
  await turn(page, name, 'Turn off', 'Ticket 7: it misbehaves');
  await expect(page.getByText(`${name} is off`)).toBeVisible();
  await expect(switchOf(page, name)).not.toBeChecked();
  expect(await presses()).toBe(2);
  expect(await appRedis.get(keyOf(name))).toBe('NO');
  await expect(rowOf(page, name)).toContainText('Ticket 7: it misbehaves');

  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Change undone.')).toBeVisible();
  expect(await presses()).toBe(3);
  await expect(switchOf(page, name)).toBeChecked();
  expect(await appRedis.get(keyOf(name))).toBe('YES');

  await page.getByRole('button', { name: `History of ${name}` }).click();
  const history = page.getByRole('dialog', { name: `History of ${name}` });
  await expect(history.getByText('Ticket 7: it misbehaves')).toBeVisible();
  await expect(history.locator('.mantine-Timeline-item')).toHaveCount(2);
  await expect(history.getByText('Change a feature flag')).toBeVisible();
  await expect(history.getByText('undone', { exact: true })).toBeVisible();
  await expect(history.getByText('Undo a change')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`history=${name}`));
});

test('a toast never lies on the buttons of the next drawer', { tag: '@long' }, async ({
  signInAs,
  appRedis,
}) => {
  const name = uniqueName('FEATURE_E2E_TOAST_*');
  await appRedis.set(keyOf(name), '1');
  const page = await signInAs('product');
  await open(page, name);
  await turn(page, name, 'Turn off', 'Ticket 8');
  const toast = page.getByRole('status').filter({ hasText: `${name} is off` });
  await expect(toast).toBeVisible();
  await page.getByRole('button', { name: `Delete ${name}` }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByRole('button', { name: 'Delete flag' })).toBeVisible();
  for (const width of [1440, 700, 390]) {
    await page.setViewportSize({ width, height: 700 });
    const covered = await drawer.getByRole('button').evaluateAll((buttons) =>
      buttons.filter((button) => {
        const { x, y, width: w, height: h } = button.getBoundingClientRect();
        return !button.contains(document.elementFromPoint(x + w / 2, y + h / 2));
      }),
    );
    expect(covered, `${width} px`).toHaveLength(0);
  }
  // Otherwise there was no toast that could have covered them.
  await expect(toast).toBeAttached();
});
