import { expectStatus } from './expect-status';
import { expect, skipUntil, test } from './fixtures';
import { etagOf, keyOf, open, press, rowOf, switchOf, turn } from './flag-list';
import { uniqueName } from './unique';

test('product turns a flag off and takes it back by Undo; the style stays', async ({
  signInAs,
  appRedis,
}) => {
  const name = uniqueName('FEATURE_E2E_UNDO_*');
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
  await expect(history.getByText('Change a feature flag')).toBeVisible();
  await expect(history.getByText('taken back', { exact: true })).toBeVisible();
  await expect(history.getByText('Take a change back')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`history=${name}`));
});

test('the history takes the last change back', async ({ signInAs, appRedis }) => {
  const name = uniqueName('FEATURE_E2E_HISTORY_*');
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
  const name = uniqueName('FEATURE_E2E_RACE_*');
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

test('of two people who turn it at once one is told, with both values', async ({
  signInAs,
  anotherAs,
  appRedis,
}) => {
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
  const told = second.getByRole('dialog').getByRole('alert');
  await expect(told).toContainText('Somebody changed it meanwhile');
  await expect(told).toContainText('yes');
  await expect(told).toContainText('no');
  await expect(second.getByRole('button', { name: 'Turn off all the same' })).toHaveCount(0);
  expect(await appRedis.get(keyOf(name))).toBe('no');
  await second.getByRole('button', { name: 'Leave it as it is' }).click();
  await expect(switchOf(second, name)).not.toBeChecked();
});

test('a flag deleted while it is open is said to be gone', async ({ anotherAs, appRedis }) => {
  const name = uniqueName('FEATURE_E2E_GONE_*');
  await appRedis.set(keyOf(name), 'true');
  const page = await anotherAs('product');
  await page.clock.install();
  await open(page, name);
  await press(page, name);
  await expect(page.getByRole('button', { name: 'Turn off', exact: true })).toBeVisible();
  await appRedis.del(keyOf(name));
  const told = page.getByText(`${name} was deleted meanwhile`);
  await skipUntil(page, () => expect(told).toBeVisible({ timeout: 1000 }));
  await expect(rowOf(page, name)).toHaveCount(0);
  await page.goto(`/demo/flags?plan=${name}`);
  await expect(page.getByRole('dialog')).toContainText('This flag is gone', { timeout: 20_000 });
});

test('the address keeps what is looked for', async ({ signInAs, appRedis }) => {
  const stem = uniqueName('FEATURE_E2E_FIND_*');
  const [on, odd] = [`${stem}_ON`, `${stem}_ODD`];
  await appRedis.mset(keyOf(on), 'on', keyOf(odd), 'purple');
  const page = await signInAs('viewer');
  await open(page, stem);
  // Beside tests that fill the keyspace a scan for names takes long, and one that had begun may have passed this flag.
  await expect(rowOf(page, on)).toBeVisible({ timeout: 30_000 });
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Not a boolean' }).click();
  await expect(rowOf(page, on)).toHaveCount(0);
  await expect(page).toHaveURL(/state=noBoolean/);
  await page.reload();
  await expect(rowOf(page, odd)).toBeVisible();
  await expect(rowOf(page, on)).toHaveCount(0);
  await page.goto(`/demo/flags?q=${stem}&is=waiting`);
  await expect(page.getByText('No such flag')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(rowOf(page, on)).toBeVisible();
});

test('a viewer looks and switches nothing, by page or by HTTP', async ({ signInAs, appRedis, state }) => {
  const name = uniqueName('FEATURE_E2E_VIEWER_*');
  await appRedis.set(keyOf(name), 'true');
  const page = await signInAs('viewer');
  await open(page, name);
  await expect(switchOf(page, name)).toBeDisabled();
  for (const control of [/^Create/, /^Plan of/, /^Delete/, /^Say what it does/])
    await expect(page.getByRole('button', { name: control })).toHaveCount(0);
  const etag = await etagOf(page.request, state, name);
  const answer = await page.request.put(`/api/v1/connections/demo/flags/${name}`, {
    headers: { origin: state.baseUrl },
    data: { enabled: false, etag },
  });
  await expectStatus(answer, 403);
  const refused = await page.request.post(`/api/v1/connections/demo/flags/${name}/schedule`, {
    headers: { origin: state.baseUrl },
    data: { enabled: false, etag, at: new Date(Date.now() + 3_600_000).toISOString() },
  });
  await expectStatus(refused, 403);
  expect(await appRedis.get(keyOf(name))).toBe('true');
});

test('hostile names and values that are no booleans are text without a switch', async ({
  signInAs,
  appRedis,
}) => {
  const hostile = uniqueName('FEATURE_E2E_*_<SCRIPT>ALERT(1)</SCRIPT>');
  const hash = uniqueName('FEATURE_E2E_HASH_*');
  await appRedis.set(keyOf(hostile), '<img src=x onerror=alert(1)>');
  await appRedis.hset(keyOf(hash), 'a', 'b');
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
  await expect(row).toContainText('An admin can edit it as an environment variable.');
  await expect(row.getByRole('switch')).toHaveCount(0);
  await page.getByRole('button', { name: `History of ${hostile}` }).click();
  await expect(page.getByRole('dialog')).toContainText(hostile);
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox', { name: 'Flag name' }).fill(hash.toLowerCase());
  await expect(rowOf(page, hash)).toContainText('holds a hash where a string should be');
  expect(dialogs).toEqual([]);
});

test('when Redis goes, the flags stay with their age, and come back by themselves', async ({
  anotherAs,
  appRedis,
}) => {
  const name = uniqueName('FEATURE_E2E_STAYS_*');
  await appRedis.set(keyOf(name), 'on');
  const page = await anotherAs('viewer');
  await page.clock.install();
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
  await skipUntil(page, () => expect(banner).toContainText('You see the values of', { timeout: 1000 }));
  await expect(rowOf(page, name)).toBeVisible();
  await page.unroute('**/connections/demo/flags');
  await skipUntil(page, () => expect(banner).toHaveCount(0, { timeout: 1000 }));
});
