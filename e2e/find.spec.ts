import { messages } from '../messages/en';
import { writeSession } from './app-session';
import { expectAccessible } from './axe';
import { expectStatus } from './expect-status';
import { expect, test } from './fixtures';
import { uniqueAddress, uniqueId } from './unique';

const { shell, help } = messages;

test('support finds a user by name in two steps, and sees no variables', async ({ signInAs, aside }) => {
  const user = { id: uniqueId(), name: `e2e-found-${uniqueId()}` };
  await writeSession(aside, user, { device: 'Phone in a taxi' });
  const page = await signInAs('support');
  await page.goto('/aside/overview');
  await page.keyboard.press('Control+k');
  const search = page.getByRole('dialog', { name: shell.search });
  await search.getByRole('textbox').fill(user.name);
  const match = search.getByRole('button', { name: new RegExp(`^${user.name}`) });
  await expect(match).toBeVisible();
  await expect(search).not.toContainText(messages.env.title);
  await match.click();
  await expect(page).toHaveURL(`/aside/sessions?user=${user.id}`);

  // What was opened last comes first.
  await page.keyboard.press('Control+k');
  await expect(search.getByRole('button').first()).toContainText(user.name);
  await page.keyboard.press('Escape');
  await expect(search).toBeHidden();

  // Text typed immediately is kept, and Enter leads to all results before any has arrived.
  await page.keyboard.press('Control+k');
  await page.keyboard.type(user.name);
  await expect(search.getByRole('textbox')).toHaveValue(user.name);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/(find\?q=|sessions\?user=)/);
});

test('product toggles a flag from the search, and an administrator bans an address', {
  tag: '@long',
}, async ({ signInAs, request, state, anotherAs }) => {
  // Letters only: a random hexadecimal number looks like a secret, and is not searched for.
  const letters = [...uniqueId()].map((digit) => 'ABCDEFGHIJ'[Number(digit)]).join('');
  const name = `FEATURE_E2E_${letters}`;
  const made = await request.post('/api/v1/connections/demo/flags', {
    headers: { authorization: `Bearer ${state.apiToken}` },
    data: { name, enabled: false, style: 'on/off' },
  });
  await expectStatus(made, 201);
  const page = await signInAs('product');
  await page.goto('/demo/overview');
  await page.keyboard.press('Control+k');
  const search = page.getByRole('dialog', { name: shell.search });
  await search.getByRole('textbox').fill(`toggle ${name}`);
  await search.getByRole('button', { name: new RegExp(`^Toggle ${name}`) }).click();
  await expect(page).toHaveURL(`/demo/flags?q=${name}`);
  await expect(page.getByRole('switch', { name: `Switch ${name}` })).toBeVisible();

  const ip = uniqueAddress();
  const admin = await anotherAs('admin');
  await admin.goto(`/demo/find?q=ban%20${ip}`);
  await admin.getByRole('link', { name: `Ban ${ip}` }).click();
  await expect(admin.getByRole('dialog', { name: 'Ban addresses' }).getByLabel('Addresses')).toHaveValue(ip);
});

test('a viewer finds no people, and has the words explained', { tag: '@long' }, async ({ signInAs }) => {
  const page = await signInAs('viewer');
  await page.goto('/demo/find?q=ilya');
  await expect(page.getByText(shell.find.none)).toBeVisible();
  await page.keyboard.press('?');
  const drawer = page.getByRole('dialog', { name: shell.help });
  await expect(drawer).toContainText(help.key.search);
  await drawer.getByRole('searchbox').fill('unindexed');
  await expect(drawer.getByText(messages.glossary.unindexed.text)).toBeVisible();
  await expectAccessible(page, 'help', ['light', 'dark', 'phone']);
});
