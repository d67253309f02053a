import { expect, test } from './fixtures';

/** The README's picture. It is taken in every run; `KEYWARD_PICTURE=1` keeps it in the tree. */
const FOLDER = process.env.KEYWARD_PICTURE === '1' ? 'public/readme' : 'test-results/readme';

test.describe.configure({ timeout: 120_000 });

for (const theme of ['light', 'dark'] as const) {
  test(`the overview, ${theme}`, async ({ signInAs }) => {
    const page = await signInAs('admin');
    await page.emulateMedia({ colorScheme: theme });
    await page.goto('/live/overview');
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
    // The tiles and the chart have something to show once the sampler has seen the traffic for a while.
    const tile = page.locator('section', {
      has: page.getByRole('heading', { name: 'Hit rate', exact: true }),
    });
    await expect(tile).toContainText('%', { timeout: 30_000 });
    await expect(page.locator('.recharts-area-curve').first()).toBeVisible({ timeout: 40_000 });
    await expect(page.getByRole('row').nth(3)).toContainText('{');
    await page.screenshot({ path: `${FOLDER}/overview-${theme}.png` });
  });
}
