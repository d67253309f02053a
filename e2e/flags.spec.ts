import type { Page } from '@playwright/test';
import { lookAt } from './axe';
import { expect, test } from './fixtures';

const keyOf = (name: string): string => `env_vars:${name}`;
const switchOf = (page: Page, name: string) => page.getByRole('switch', { name: `Switch ${name}` });
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** As a hand does it: on the label, the input itself is invisible. */
const press = (page: Page, name: string): Promise<void> =>
  switchOf(page, name).locator('xpath=ancestor::label').click();

/** Opens the page with only this flag on it. */
const open = async (page: Page, name: string): Promise<void> => {
  await page.goto(`/demo/flags?q=${encodeURIComponent(name)}`);
  await expect(rowOf(page, name)).toBeVisible({ timeout: 20_000 });
};

const turn = async (page: Page, name: string, verb: string, reason = ''): Promise<void> => {
  await press(page, name);
  const question = page.getByRole('dialog', { name: `Switch ${name}` });
  if (reason) await question.getByLabel('Reason').fill(reason);
  await question.getByRole('button', { name: verb, exact: true }).click();
};

test('product turns a flag off and takes it back by Undo; the style stays', async ({
  signInAs,
  appRedis,
}) => {
  const name = 'FEATURE_E2E_UNDO';
  await appRedis.set(keyOf(name), 'YES');
  const page = await signInAs('product');
  await open(page, name);
  await expect(switchOf(page, name)).toBeChecked();
  await turn(page, name, 'Turn off', 'Ticket 7: it misbehaves');
  await expect(page.getByText(`${name} is off`)).toBeVisible();
  await expect(switchOf(page, name)).not.toBeChecked();
  expect(await appRedis.get(keyOf(name))).toBe('NO');
  await expect(rowOf(page, name)).toContainText('Ticket 7: it misbehaves');

  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Taken back')).toBeVisible();
  await expect(switchOf(page, name)).toBeChecked();
  expect(await appRedis.get(keyOf(name))).toBe('YES');

  await page.getByRole('button', { name: `History of ${name}` }).click();
  const history = page.getByRole('dialog', { name: `History of ${name}` });
  await expect(history.getByText('Ticket 7: it misbehaves')).toBeVisible();
  await expect(history.locator('.mantine-Timeline-item')).toHaveCount(2);
  await expect(page).toHaveURL(new RegExp(`history=${name}`));
});

test('the history takes the last change back', async ({ signInAs, appRedis }) => {
  const name = 'FEATURE_E2E_HISTORY';
  await appRedis.set(keyOf(name), '0');
  const page = await signInAs('product');
  await open(page, name);
  await turn(page, name, 'Turn on');
  await expect(page.getByText(`${name} is on`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('1');
  await page.getByRole('button', { name: `History of ${name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Take back' })).toHaveCount(0);
  await expect.poll(() => appRedis.get(keyOf(name))).toBe('0');
});

test('the second of two editors is told, and shown both values', async ({ signInAs, appRedis }) => {
  const name = 'FEATURE_E2E_RACE';
  await appRedis.set(keyOf(name), 'off');
  const page = await signInAs('product');
  await open(page, name);
  await press(page, name);
  const question = page.getByRole('dialog', { name: `Switch ${name}` });
  await expect(question.getByRole('button', { name: 'Turn on', exact: true })).toBeVisible();
  await appRedis.set(keyOf(name), 'OFF');
  await question.getByRole('button', { name: 'Turn on', exact: true }).click();
  const told = question.getByRole('alert');
  await expect(told).toContainText('Somebody changed it meanwhile');
  await expect(told).toContainText('off');
  await expect(told).toContainText('OFF');
  await expect(switchOf(page, name)).not.toBeChecked();
  expect(await appRedis.get(keyOf(name))).toBe('OFF');
  await question.getByRole('button', { name: 'Turn on all the same' }).click();
  await expect(page.getByText(`${name} is on`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('ON');
});

test('a viewer looks and switches nothing, by page or by HTTP', async ({ signInAs, appRedis, state }) => {
  const name = 'FEATURE_E2E_VIEWER';
  await appRedis.set(keyOf(name), 'true');
  const page = await signInAs('viewer');
  await open(page, name);
  await expect(switchOf(page, name)).toBeDisabled();
  const list = await page.request.get('/api/v1/connections/demo/flags');
  const { items } = (await list.json()) as { items: { name: string; etag: string }[] };
  const etag = items.find((flag) => flag.name === name)!.etag;
  const answer = await page.request.put(`/api/v1/connections/demo/flags/${name}`, {
    headers: { origin: state.baseUrl },
    data: { enabled: false, etag },
  });
  expect(answer.status()).toBe(403);
  expect(await appRedis.get(keyOf(name))).toBe('true');
});

test('hostile names and values that are no booleans are text without a switch', async ({
  signInAs,
  appRedis,
}) => {
  const hostile = 'FEATURE_E2E_<SCRIPT>ALERT(1)</SCRIPT>';
  await appRedis.set(keyOf(hostile), '<img src=x onerror=alert(1)>');
  await appRedis.hset(keyOf('FEATURE_E2E_HASH'), 'a', 'b');
  const page = await signInAs('product');
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await open(page, hostile);
  const row = rowOf(page, hostile);
  await expect(row).toContainText('<img src=x onerror=alert(1)>');
  await expect(row).toContainText('Not a boolean');
  await expect(row.getByRole('switch')).toHaveCount(0);
  await page.getByRole('button', { name: `History of ${hostile}` }).click();
  await expect(page.getByRole('dialog')).toContainText(hostile);
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox', { name: 'Flag name' }).fill('e2e_hash');
  await expect(rowOf(page, 'FEATURE_E2E_HASH')).toContainText('holds a hash where a string should be');
  expect(dialogs).toEqual([]);
});

test('when Redis goes, the flags stay with their age, and come back by themselves', async ({
  signInAs,
  appRedis,
}) => {
  const name = 'FEATURE_E2E_STAYS';
  await appRedis.set(keyOf(name), 'on');
  const page = await signInAs('viewer');
  await open(page, name);
  const problem = {
    type: 'urn:keyward:problem:redis_unavailable',
    title: 'Redis cannot be reached',
    status: 503,
    detail: 'Redis "demo" does not answer.',
    code: 'redis_unavailable',
    requestId: 'e2e',
    connection: 'demo',
  };
  await page.route('**/connections/demo/flags', (route) =>
    route.fulfill({ status: 503, contentType: 'application/problem+json', json: problem }),
  );
  const banner = page.getByRole('status').filter({ hasText: 'Redis is gone' });
  await expect(banner).toContainText('You see the values of', { timeout: 20_000 });
  await expect(rowOf(page, name)).toBeVisible();
  await page.unroute('**/connections/demo/flags');
  await expect(banner).toHaveCount(0, { timeout: 10_000 });
});

test('it looks right: the list, the question, the history', async ({ signInAs, appRedis }) => {
  test.setTimeout(180_000);
  const name = 'FEATURE_E2E_LOOKS';
  await appRedis.set(keyOf(name), 'off');
  const page = await signInAs('product');
  await open(page, name);
  await turn(page, name, 'Turn on', 'Ticket 9: everybody asked for it');
  await expect(page.getByText(`${name} is on`)).toBeVisible();
  await page.goto('/demo/flags');
  await expect(rowOf(page, name)).toContainText('Ticket 9', { timeout: 20_000 });
  await lookAt(page, 'flags');
  await press(page, name);
  await expect(page.getByRole('dialog')).toContainText(`Turn ${name} off?`);
  await lookAt(page, 'flags-question');
  await page.goto(`/demo/flags?history=${name}`);
  await expect(page.getByRole('dialog')).toContainText('Ticket 9: everybody asked for it');
  await lookAt(page, 'flags-history');
});
