import { messages } from '../messages/en';
import { follow } from './addresses';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { OPENINGS, open } from './openings';

const { flags } = messages;

test('each drawer has no fault, and returns the focus to what opened it', async ({ signInAs }) => {
  test.setTimeout(180_000);
  const page = await signInAs('admin');
  const drawer = page.getByRole('dialog');
  let shown = '';
  for (const [what, opening] of Object.entries(OPENINGS))
    await test.step(what, async () => {
      if (opening.page !== shown) await follow(page, opening.page);
      shown = opening.page;
      const opener = await open(page, opening);
      await expect(drawer).toBeVisible();
      await expect(drawer.locator(':focus')).toHaveCount(1);
      await expectAccessible(page, what);
      await page.keyboard.press('Escape');
      await expect(drawer).toHaveCount(0);
      await expect(opener, what).toBeFocused();
    });
});

test('opens the search a moment after Esc closed it or a drawer, from any field', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/demo/flags');
  const search = page.getByRole('dialog', { name: messages.shell.search });
  // Without the animations' time the test would not find what needs them.
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const create = page.getByRole('button', { name: flags.create.title });
  await create.click();
  const drawer = page.getByRole('dialog', { name: flags.create.title });
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
