import { follow } from './addresses';
import { expect, test } from './fixtures';
import { expectReturn, OPENINGS, open } from './openings';
import { stepAdded, stepsTaken } from './steps-taken';

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
