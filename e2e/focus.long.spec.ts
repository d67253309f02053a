import { messages } from '../messages/en';
import { follow } from './addresses';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { expectReturn, OPENINGS, open } from './openings';
import { stepAdded, stepsTaken } from './steps-taken';

const { flags } = messages;

test('each drawer has no fault, and returns the focus to what opened it', async ({ signInAs }) => {
  test.setTimeout(180_000);
  const page = await signInAs('admin');
  let shown = '';
  for (const [what, opening] of Object.entries(OPENINGS))
    await test.step(what, async () => {
      if (opening.page !== shown) await follow(page, opening.page);
      shown = opening.page;
      await expectReturn(page, what);
    });
});

test('Back closes each drawer, and returns the focus to what opened it', async ({ signInAs }) => {
  test.setTimeout(180_000);
  const page = await signInAs('admin');
  const drawer = page.getByRole('dialog');
  for (const [what, opening] of Object.entries(OPENINGS))
    await test.step(what, async () => {
      await page.goto(opening.page);
      const address = page.url();
      const opener = await open(page, opening);
      await expect(drawer).toBeVisible();
      await stepAdded(page, address);
      await page.goBack();
      await expect(drawer).toHaveCount(0);
      await expect(opener, what).toBeFocused();
      await stepsTaken(page);
      await expect(page).toHaveURL(address);
    });
});

test('opens the search a moment after Esc closed it or a drawer, from any field', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/demo/flags');
  const search = page.getByRole('dialog', { name: messages.shell.search });
  // Without animations the test would miss faults that occur during them.
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const create = page.getByRole('button', { name: flags.create.verb });
  await create.click();
  const drawer = page.getByRole('dialog', { name: flags.create.verb });
  await drawer.getByRole('textbox').first().focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await expect(search.getByRole('textbox')).toBeFocused();
  await page.keyboard.type('aud');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await expect(search.getByRole('textbox')).toBeFocused();
  await expect(search.getByRole('textbox')).toHaveValue('');
  await page.keyboard.press('Escape');
  await expect(search).toHaveCount(0);
  await expect(create).toBeFocused();
});

test('Esc asks before it throws a filled form away, and keeps it by another Esc', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/demo/flags');
  await page.getByRole('button', { name: 'Create flag' }).click();
  const drawer = page.getByRole('dialog', { name: 'Create flag' });
  const name = drawer.getByRole('textbox').first();
  await name.fill('FEATURE_KEPT');
  const question = page.getByRole('dialog', { name: 'Discard what you entered?' });
  for (const key of ['Escape', 'Escape']) {
    await page.keyboard.press('Escape');
    await expect(question).toBeVisible();
    await expectAccessible(page, 'discard');
    await page.keyboard.press(key);
    await expect(question).toHaveCount(0);
    await expect(name).toHaveValue('FEATURE_KEPT');
  }
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
