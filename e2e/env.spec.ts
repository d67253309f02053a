import { readFileSync } from 'node:fs';
import type { Download, Locator, Page } from '@playwright/test';
import { Redis } from 'ioredis';
import { lookAt } from './axe';
import { expect, test } from './fixtures';
import { uniqueName } from './unique';

const keyOf = (name: string): string => `env_vars:${name}`;
const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const fieldOf = (drawer: Locator) => drawer.getByLabel('Value', { exact: true });

/** Opens the page with only this variable on it. */
const open = async (page: Page, name: string, connection = 'demo'): Promise<void> => {
  await page.goto(`/${connection}/env?q=${encodeURIComponent(name)}`);
  await expect(rowOf(page, name)).toBeVisible({ timeout: 20_000 });
};

const edit = async (page: Page, name: string): Promise<Locator> => {
  await page.getByRole('button', { name: `Edit ${name}`, exact: true }).click();
  const drawer = page.getByRole('dialog', { name: `Edit ${name}`, exact: true });
  await expect(fieldOf(drawer)).toBeVisible();
  return drawer;
};

const textOf = async (download: Download): Promise<string> => readFileSync(await download.path(), 'utf8');

test('the list: categories, hostile names, what is wrong, what is missing', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/demo/env');
  const group = (name: string) => page.getByRole('region', { name, exact: true });
  await expect(rowOf(page, 'DB_URL')).toContainText('secret by the look of its value', { timeout: 20_000 });
  await expect(group('Database')).toContainText('POSTGRES_PASSWORD');
  await expect(rowOf(page, 'MAINTENANCE_NOTE')).toContainText(/will vanish in \d+\s*h/);
  await expect(rowOf(page, 'OAUTH_PROVIDERS')).toContainText('Its key holds a hash, not a string.');
  await expect(rowOf(page, 'SITE_TITLE')).toContainText('c4 e8 f1 ea f3 f0 f1');
  await expect(rowOf(page, 'FOOTER_HTML')).toContainText('1.9 MiB');
  await expect(rowOf(page, '<img src=x onerror=alert(1)>')).toContainText('"><script>alert(1)</script>');
  await expect(rowOf(page, 'ADMIN')).toContainText('ADMIN\\u202eLIAM');
  await expect(rowOf(page, 'ALLOWED_HOSTS').locator('code')).toHaveText([
    'ALLOWED_HOSTS',
    'discours.example.org',
    'api.discours.example.org',
  ]);
  await page.getByRole('button', { name: 'Create ELASTICSEARCH_URL' }).click();
  await expect(page.getByRole('dialog').getByLabel('Name')).toHaveValue('ELASTICSEARCH_URL');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: /^Database/ }).click();
  await expect(rowOf(page, 'DB_URL')).toHaveCount(0);
  await expect(page).toHaveURL(/closed=database/);
  await page.reload();
  await expect(rowOf(page, 'JWT_SECRET')).toBeVisible({ timeout: 20_000 });
  await expect(rowOf(page, 'DB_URL')).toHaveCount(0);
  await page.getByText(/^Needs a look/).click();
  await expect(page).toHaveURL(/show=problems/);
  await expect(rowOf(page, 'JWT_SECRET')).toHaveCount(0);
  await expect(rowOf(page, 'OAUTH_PROVIDERS')).toBeVisible();
});

test('a revealed secret is hidden after 30 s, on leaving, and with its tab; each reveal is on record', async ({
  signInAs,
  appRedis,
  state,
}) => {
  const [name, secret] = [uniqueName('E2E_*_TOKEN'), 'swordfish-9f3a-swordfish'];
  await appRedis.set(keyOf(name), secret);
  const page = await signInAs('admin');
  await page.clock.install();
  await open(page, name);
  const shown = page.getByTestId('revealed');
  const reveal = async () => {
    await page.getByRole('button', { name: `Reveal ${name}` }).click();
    await expect(shown).toHaveText(secret);
  };
  const expectGone = async () => {
    await expect(shown).toHaveCount(0);
    expect(await page.content()).not.toContain(secret);
    expect(page.url()).not.toContain(secret);
  };
  await expect(rowOf(page, name)).toContainText('secret by its name');
  await expectGone();
  await reveal();
  await expect(rowOf(page, name)).toContainText(/hidden in (30|29|28) s/);
  await page.clock.fastForward(20_000);
  await expect(rowOf(page, name)).toContainText(/hidden in (10|9|8|7) s/);
  await page.clock.fastForward(11_000);
  await expectGone();

  await reveal();
  await page.getByRole('tab', { name: 'Backups' }).click();
  await expect(page.getByRole('table', { name: 'Kept backups' })).toBeVisible();
  await page.getByRole('tab', { name: 'Variables' }).click();
  await expect(rowOf(page, name)).toBeVisible();
  await expectGone();

  await reveal();
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expectGone();
  const audit = await page.request.get(`/api/v1/audit?action=env.reveal&connection=demo&target=${name}`, {
    headers: { authorization: `Bearer ${state.apiToken}` },
  });
  const { items } = (await audit.json()) as { items: { target: string }[] };
  expect(items.filter(({ target }) => target === name)).toHaveLength(3);
  expect(await audit.text()).not.toContain(secret);
});

test('an admin edits with a diff, a reason and undo; the history has it', async ({ signInAs, appRedis }) => {
  const name = uniqueName('E2E_*_NOTE');
  await appRedis.set(keyOf(name), 'one\r\ntwo\r\n');
  const page = await signInAs('admin');
  await open(page, name);
  const drawer = await edit(page, name);
  await expect(drawer.getByRole('button', { name: 'Save' })).toBeDisabled();
  await fieldOf(drawer).fill('one\nthree\n');
  const diff = drawer.getByRole('region', { name: 'What changes' });
  await expect(diff).toContainText('Removed: two');
  await expect(diff).toContainText('Added: three');
  await drawer.getByLabel('Reason').fill('Ticket 51: it is three');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${name} is saved`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('one\r\nthree\r\n');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Taken back')).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('one\r\ntwo\r\n');

  await page.getByRole('button', { name: `History of ${name}` }).click();
  const history = page.getByRole('dialog', { name: `History of ${name}` });
  await expect(history.getByText('Ticket 51: it is three')).toBeVisible();
  await expect(history.locator('.mantine-Timeline-item')).toHaveCount(2);
  await expect(page).toHaveURL(new RegExp(`history=${name}`));
});

test('a doubtful value is refused with the reason, and saved anyway', async ({ signInAs, appRedis }) => {
  const name = uniqueName('E2E_*_PORT');
  await appRedis.set(keyOf(name), '8080');
  const page = await signInAs('admin');
  await open(page, name);
  const drawer = await edit(page, name);
  await fieldOf(drawer).fill('http');
  await expect(drawer).toContainText('It is no whole number.');
  await drawer.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(drawer.getByRole('alert')).toContainText('The value does not look right');
  expect(await appRedis.get(keyOf(name))).toBe('8080');
  await fieldOf(drawer).fill('https');
  await expect(drawer.getByRole('button', { name: 'Save', exact: true })).toBeVisible();
  await drawer.getByRole('button', { name: 'Save', exact: true }).click();
  await drawer.getByRole('button', { name: 'Save anyway' }).click();
  await expect(page.getByText(`${name} is saved`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('https');
  await expect(rowOf(page, name)).toContainText('It is no whole number.');
});

test('a boolean keeps its style, a list its commas, bytes stay bytes', async ({ signInAs, appRedis }) => {
  const debug = uniqueName('E2E_*_DEBUG');
  const hosts = uniqueName('E2E_*_HOSTS');
  const raw = uniqueName('E2E_*_RAW');
  await appRedis.set(keyOf(debug), 'Yes');
  await appRedis.set(keyOf(hosts), 'a.example.org, b.example.org');
  await appRedis.set(keyOf(raw), Buffer.from('c4e8', 'hex'));
  const page = await signInAs('admin');
  await open(page, debug);
  await page.getByRole('button', { name: `Edit ${debug}` }).click();
  await page.getByRole('dialog').getByText('No', { exact: true }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${debug} is saved`)).toBeVisible();
  expect(await appRedis.get(keyOf(debug))).toBe('No');

  await open(page, hosts);
  await page.getByRole('button', { name: `Edit ${hosts}` }).click();
  await page.getByRole('combobox', { name: 'Value' }).fill('c.example.org');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${hosts} is saved`)).toBeVisible();
  expect(await appRedis.get(keyOf(hosts))).toBe('a.example.org, b.example.org, c.example.org');

  await open(page, raw);
  await page.getByRole('button', { name: `Edit ${raw}` }).click();
  await expect(page.getByLabel('Bytes in base64')).toHaveValue('xOg=');
  await page.getByLabel('Bytes in base64').fill('xOjx');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${raw} is saved`)).toBeVisible();
  expect((await appRedis.getBuffer(keyOf(raw)))?.toString('hex')).toBe('c4e8f1');
});

test('a secret is typed unseen, and never stands in the markup', async ({ signInAs, appRedis }) => {
  const [name, before, after] = [uniqueName('E2E_*_PASSWORD'), 'an-old-secret-of-e2e', 'a-new-secret-of-e2e'];
  await appRedis.set(keyOf(name), before);
  const page = await signInAs('admin');
  await open(page, name);
  const drawer = await edit(page, name);
  await drawer.getByRole('button', { name: 'Start from it' }).click();
  await expect(fieldOf(drawer)).toHaveValue(before);
  await fieldOf(drawer).fill(after);
  await expect(drawer.getByRole('region', { name: 'What changes' })).toContainText('•••••••• secret, 19 B');
  const markup = await page.content();
  expect([markup.includes(before), markup.includes(after)]).toEqual([false, false]);
  await drawer.getByRole('button', { name: 'Show what is typed' }).click();
  await expect(drawer.getByRole('region', { name: 'What changes' })).toContainText(after);
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${name} is saved`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe(after);
  await expect(drawer).toHaveCount(0);
  expect(await page.content()).not.toContain(after);
});

test('of two editors the second is told, sees both values and chooses', async ({
  signInAs,
  sessionOf,
  browser,
  appRedis,
  state,
}) => {
  const name = uniqueName('E2E_*_RACE');
  await appRedis.set(keyOf(name), 'first');
  const page = await signInAs('admin');
  const context = await browser.newContext({ baseURL: state.baseUrl });
  await context.addCookies(await sessionOf('admin'));
  const other = await context.newPage();
  await Promise.all([open(page, name), open(other, name)]);
  const [mine, theirs] = [await edit(page, name), await edit(other, name)];
  await fieldOf(theirs).fill('theirs');
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expect(other.getByText(`${name} is saved`)).toBeVisible();
  await fieldOf(mine).fill('mine');
  await mine.getByRole('button', { name: 'Save' }).click();
  const told = mine.getByRole('alert');
  await expect(told).toContainText('Somebody changed it meanwhile');
  await expect(told.locator('dd')).toHaveText(['first', 'theirs', 'mine']);
  expect(await appRedis.get(keyOf(name))).toBe('theirs');
  await told.getByRole('button', { name: 'Start from theirs' }).click();
  await expect(fieldOf(mine)).toHaveValue('theirs');
  await fieldOf(mine).fill('ours');
  await mine.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${name} is saved`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('ours');
  await context.close();
});

test('a variable is created, renamed, deleted and brought back', async ({ signInAs, appRedis }) => {
  const [name, newName] = [uniqueName('E2E_*_NEW_LIMIT'), uniqueName('E2E_*_NEWER_LIMIT')];
  const page = await signInAs('admin');
  await page.goto('/demo/env');
  await page.getByRole('button', { name: 'New variable' }).click();
  const drawer = page.getByRole('dialog', { name: 'New variable' });
  await drawer.getByLabel('Name').fill('9LIVES');
  await expect(drawer).toContainText('begins with no digit');
  await drawer.getByLabel('Name').fill('SMTP_HOST');
  await expect(drawer).toContainText('There is a variable of this name already.');
  await drawer.getByLabel('Name').fill(name);
  await expect(drawer).toContainText('whole number');
  await fieldOf(drawer).fill('10');
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByText(`${name} is created`)).toBeVisible();
  expect(await appRedis.get(keyOf(name))).toBe('10');

  await open(page, name);
  await page.getByRole('button', { name: `More for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByLabel('New name').fill(newName);
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await expect(page.getByText(`${name} is ${newName} now`)).toBeVisible();
  expect(await appRedis.mget(keyOf(name), keyOf(newName))).toEqual([null, '10']);

  await open(page, newName);
  await page.getByRole('button', { name: `More for ${newName}` }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText(`${newName} is deleted`)).toBeVisible();
  expect(await appRedis.get(keyOf(newName))).toBeNull();
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await expect(page.getByText('Taken back')).toBeVisible();
  expect(await appRedis.get(keyOf(newName))).toBe('10');
});

test('production asks for its id to delete, and for a second person where flags need one', async ({
  signInAs,
  state,
}) => {
  const name = uniqueName('E2E_*_LIVE_NOTE');
  const redis = new Redis(state.liveRedisUrl);
  await redis.set(keyOf(name), 'here');
  const page = await signInAs('admin');
  await open(page, name, 'live');
  await page.getByRole('button', { name: `More for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const drawer = page.getByRole('dialog', { name: `Delete ${name}?` });
  await expect(drawer.getByRole('button', { name: 'Delete' })).toBeDisabled();
  await drawer.getByLabel(/to confirm/).fill('live');
  await drawer.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText(`${name} is deleted`)).toBeVisible();
  expect(await redis.get(keyOf(name))).toBeNull();

  await open(page, 'FEATURE_DARK_THEME', 'live');
  const before = await redis.get(keyOf('FEATURE_DARK_THEME'));
  await page.getByRole('button', { name: 'Edit FEATURE_DARK_THEME' }).click();
  await page.getByRole('dialog').getByText('off', { exact: true }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('changed by two people');
  expect(await redis.get(keyOf('FEATURE_DARK_THEME'))).toBe(before);
  await page.goto('/locked/env');
  await expect(page.getByText('Archive is read-only')).toBeVisible();
  await expect(rowOf(page, 'JWT_SECRET')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole('button', { name: /^Edit / })).toHaveCount(0);
  redis.disconnect();
});

test('an import is looked at first, then applied as a whole; an export says what it leaves out', async ({
  signInAs,
  appRedis,
}) => {
  const host = uniqueName('E2E_*_HOST');
  const token = uniqueName('E2E_*_TOKEN');
  const port = uniqueName('E2E_*_PORT');
  await appRedis.set(keyOf(host), 'old.example.org');
  const page = await signInAs('admin');
  await page.goto('/demo/env');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Import variables' });
  const apply = drawer.getByRole('button', { name: /^Import( \d+ changes?)?$/ });
  await drawer.getByLabel('Dotenv text').fill(`${port}=1\nnot a line\n${port}=2\n`);
  await drawer.getByRole('button', { name: 'Show what would change' }).click();
  await expect(drawer).toContainText('2 refused');
  await expect(drawer).toContainText('line 2');
  await expect(drawer).toContainText('This name stands on line 1 already.');
  await expect(apply).toBeDisabled();

  const text = `${host}=new.example.org\n${token}='imported-secret-1'\n${port}=several\n`;
  await drawer
    .locator('input[type=file]')
    .setInputFiles({ name: 'prod.env', mimeType: 'text/plain', buffer: Buffer.from(text) });
  await expect(drawer).toContainText('prod.env');
  await drawer.getByRole('button', { name: 'Show what would change' }).click();
  await expect(drawer).toContainText('2 new');
  await expect(drawer).toContainText('1 changed');
  await expect(drawer.getByRole('row').filter({ hasText: host })).toContainText('new.example.org');
  await expect(drawer).not.toContainText('imported-secret-1');
  await expect(apply).toBeDisabled();
  await drawer.getByText('Import the doubtful one anyway').click();
  await apply.click();
  await expect(page.getByText('Imported: 2 new, 1 changed')).toBeVisible();
  expect(await appRedis.mget(keyOf(host), keyOf(token), keyOf(port))).toEqual([
    'new.example.org',
    'imported-secret-1',
    'several',
  ]);

  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const saving = page.getByRole('dialog', { name: 'Export variables' });
  const [open] = await Promise.all([
    page.waitForEvent('download'),
    saving.getByRole('button', { name: 'Download .env' }).click(),
  ]);
  expect(open.suggestedFilename()).toMatch(/^demo-variables-.*\.env$/);
  const openText = await textOf(open);
  expect(openText).toContain(`${host}=new.example.org`);
  expect(openText).not.toContain('imported-secret-1');
  await expect(saving).toContainText(`${token} It is secret.`);
  await saving.getByLabel('With secrets').click();
  await expect(saving.getByRole('alert')).toContainText('in the clear');
  const [all] = await Promise.all([
    page.waitForEvent('download'),
    saving.getByRole('button', { name: 'Download with secrets' }).click(),
  ]);
  expect(await textOf(all)).toContain(`${token}=imported-secret-1`);
});

test('support, product and viewer see no environment at all', async ({ signInAs, state }) => {
  for (const role of ['support', 'product', 'viewer'] as const) {
    const page = await signInAs(role);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto('/demo/env?history=JWT_SECRET');
    await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Environment' })).toHaveCount(0);
    await expect(page.getByText('JWT_SECRET')).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Environment' })).toHaveCount(0);
    expect(asked.filter((url) => url.includes('/connections/demo/env'))).toEqual([]);
    const C = '/api/v1/connections/demo';
    const headers = { origin: state.baseUrl };
    const send = (method: string, path: string, data?: Record<string, unknown>) =>
      page.request.fetch(C + path, { method, headers, ...(data && { data }) });
    const answers = await Promise.all([
      send('GET', '/env'),
      send('GET', '/env/JWT_SECRET/history'),
      send('GET', '/env-backups'),
      send('POST', '/env/JWT_SECRET/reveal', {}),
      send('PUT', '/env/LOG_LEVEL', { value: 'debug', etag: 'x' }),
      send('POST', '/env-file/export', {}),
      send('POST', '/env-file/import', { text: 'A=b' }),
      send('POST', '/env-backups', { passphrase: 'twelve characters' }),
    ]);
    expect(answers.map((answer) => answer.status())).toEqual(answers.map(() => 403));
  }
});

// A restore changes whatever differs: it is tried where nobody else changes anything.
test('a backup brings back what was deleted; a bad passphrase or file changes nothing', async ({
  signInAs,
  aside: redis,
}) => {
  test.setTimeout(120_000);
  await redis.mset(
    keyOf('SITE_NAME'),
    'Discours',
    keyOf('API_TOKEN'),
    'backed-up-secret',
    keyOf('LEVEL'),
    '3',
    keyOf('FEATURE_WIKI'),
    'on',
  );
  const page = await signInAs('admin');
  await page.goto('/aside/env?tab=backups');

  await page.getByRole('button', { name: 'Back up to a file' }).click();
  const saving = page.getByRole('dialog', { name: 'Back up to a file' });
  const encrypt = saving.getByRole('button', { name: 'Encrypt and download' });
  await saving.getByLabel('Passphrase', { exact: true }).fill('gravel onion lantern copper');
  await saving.getByLabel('The same once more').fill('gravel onion');
  await expect(saving).toContainText('These are not the same.');
  await expect(encrypt).toBeDisabled();
  await saving.getByLabel('The same once more').fill('gravel onion lantern copper');
  expect(await page.content()).not.toContain('gravel onion');
  const [download] = await Promise.all([page.waitForEvent('download'), encrypt.click()]);
  await expect(saving).toContainText('4 variables');
  const buffer = readFileSync(await download.path());
  expect(buffer.includes('backed-up-secret')).toBe(false);
  await page.keyboard.press('Escape');
  await expect(saving).toHaveCount(0);

  await redis.del(keyOf('API_TOKEN'));
  await redis.mset(keyOf('SITE_NAME'), 'Somewhere else', keyOf('SINCE'), 'new');
  await redis.set(keyOf('FEATURE_WIKI'), 'off');
  await page.getByRole('button', { name: 'Restore from a file' }).click();
  const drawer = page.getByRole('dialog', { name: 'Restore from a file' });
  const look = drawer.getByRole('button', { name: 'Show what would change' });
  const choose = (content: Buffer) =>
    drawer
      .locator('input[type=file]')
      .setInputFiles({ name: 'x.kwbackup', mimeType: 'application/octet-stream', buffer: content });
  await choose(buffer);
  await drawer.getByLabel('Passphrase of the backup').fill('gravel onion lantern silver');
  await look.click();
  await expect(drawer).toContainText('This is not the passphrase of the backup.');
  await drawer.getByLabel('Passphrase of the backup').fill('gravel onion lantern copper');
  await choose(buffer.subarray(0, -9));
  await look.click();
  await expect(drawer).toContainText('This backup is cut short.');
  await choose(Buffer.concat([buffer.subarray(0, 60), Buffer.from([buffer[60]! ^ 1]), buffer.subarray(61)]));
  await look.click();
  await expect(drawer).toContainText('This backup was altered or damaged.');
  expect(await redis.exists(keyOf('API_TOKEN'))).toBe(0);
  expect(await redis.get(keyOf('SITE_NAME'))).toBe('Somewhere else');

  await choose(buffer);
  await look.click();
  await expect(drawer).toContainText('1 new');
  await expect(drawer).toContainText('1 changed');
  await expect(drawer).not.toContainText('backed-up-secret');
  // A flag that two people change stands in the way of nothing else.
  await expect(drawer).toContainText('1 refused');
  await expect(drawer.getByRole('button', { name: /^Restore 2 variables/ })).toBeDisabled();
  await drawer.getByRole('switch', { name: /^Leave feature flags/ }).click();
  await expect(drawer).not.toContainText('1 refused');
  await drawer.getByRole('button', { name: 'Restore 2 variables' }).click();
  await expect(page.getByText('Restored: 1 back, 1 changed, 0 deleted')).toBeVisible();
  const names = ['API_TOKEN', 'SITE_NAME', 'LEVEL', 'SINCE'].map(keyOf);
  expect(await redis.mget(names)).toEqual(['backed-up-secret', 'Discours', '3', 'new']);
  expect(await redis.get(keyOf('FEATURE_WIKI'))).toBe('off');

  // What the restore replaced was kept, and comes back with everything else gone.
  await redis.set(keyOf('LATER'), 'x');
  await expect(page.getByRole('row').filter({ hasText: 'before a restore' })).toBeVisible();
  await page
    .getByRole('row')
    .filter({ hasText: 'before a restore' })
    .getByRole('button', { name: /^Restore/ })
    .click();
  const kept = page.getByRole('dialog', { name: 'Restore a kept backup' });
  await expect(kept).toContainText('1 changed');
  await kept.getByRole('switch', { name: /^Delete what the backup/ }).click();
  await expect(kept).toContainText('2 deleted');
  await lookAt(page, 'env-restore');
  await kept.getByRole('button', { name: 'Restore 3 variables' }).click();
  await expect(page.getByText('Restored: 0 back, 1 changed, 2 deleted')).toBeVisible();
  expect(await redis.mget([...names, keyOf('LATER')])).toEqual([null, 'Somewhere else', '3', 'new', null]);
});

test('it looks right: the list, a revealed value, editing', async ({ signInAs, appRedis }) => {
  test.setTimeout(240_000);
  const name = uniqueName('E2E_*_LOOKS_PORT');
  await appRedis.set(keyOf(name), 'one');
  const page = await signInAs('admin');
  // A reveal that lasts until it was looked at; with a clock that stands, axe would wait for ever.
  await page.addInitScript(() => {
    const { setTimeout } = window;
    const later = (work: TimerHandler, ms = 0, ...rest: unknown[]) =>
      setTimeout(work, ms > 25_000 ? ms * 100 : ms, ...rest);
    Object.assign(window, { setTimeout: later });
  });
  await page.goto('/demo/env');
  await expect(rowOf(page, 'JWT_SECRET')).toBeVisible({ timeout: 20_000 });
  await lookAt(page, 'env');
  await page.getByRole('button', { name: 'Reveal MAIL_SIGNING' }).click();
  await expect(page.getByTestId('revealed')).toBeVisible();
  await page.getByTestId('revealed').scrollIntoViewIfNeeded();
  // Another width shows another row: what is revealed is hidden then, and the later looks see the list.
  await lookAt(page, 'env-revealed');
  await open(page, name);
  const drawer = await edit(page, name);
  await fieldOf(drawer).fill('two');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(drawer.getByRole('button', { name: 'Save anyway' })).toBeVisible();
  await lookAt(page, 'env-doubt');
  await appRedis.set(keyOf(name), 'three');
  await drawer.getByRole('button', { name: 'Save anyway' }).click();
  await expect(drawer.getByRole('alert')).toContainText('Somebody changed it meanwhile');
  await lookAt(page, 'env-changed');
});

test('it looks right: history, import, export, backups', async ({ signInAs }) => {
  test.setTimeout(240_000);
  const page = await signInAs('admin');
  await page.goto('/demo/env?history=JWT_SECRET');
  await expect(page.getByRole('dialog', { name: 'History of JWT_SECRET' })).toBeVisible();
  await lookAt(page, 'env-history');
  await page.goto('/demo/env');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByLabel('Dotenv text').fill('LOG_LEVEL=debug\nSMTP_TIMEOUT=soon\nNEW_TOKEN=x\nnone\n');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await expect(page.getByRole('table', { name: 'What would change' })).toBeVisible();
  await lookAt(page, 'env-import');
  await page.goto('/demo/env?tab=backups');
  // The table has an export of its own, without a text.
  await page.getByRole('button', { name: 'Export', exact: true }).filter({ hasText: 'Export' }).click();
  await page.getByLabel('With secrets').click();
  await lookAt(page, 'env-export');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('button', { name: 'Back up to a file' }).click();
  await page.getByLabel('Passphrase', { exact: true }).fill('correct horse battery');
  await lookAt(page, 'env-backup');
});
