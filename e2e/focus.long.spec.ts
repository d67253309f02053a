import { expect, test } from './fixtures';
import { OPENINGS, open } from './openings';
import { stepAdded, stepsTaken } from './steps-taken';

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
