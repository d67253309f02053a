import { expectAccessible } from './axe';
import { expect, test } from './fixtures';

// Axe finds nothing. Every page, tab and drawer is in accessibility.long.spec.ts.
test.describe.configure({ mode: 'parallel', timeout: 120_000 });

const THEMES = ['light', 'dark'] as const;

test('sign-in, and a page that is not there', { tag: '@long' }, async ({ page, signInAs }) => {
  await page.goto('/sign-in');
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await expectAccessible(page, 'sign-in', THEMES);
  await signInAs('viewer');
  await page.goto('/demo/nothing');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page, 'not-found', THEMES);
});

test('the overview, with its charts', async ({ signInAs }) => {
  const page = await signInAs('admin');
  await page.goto('/live/overview');
  // The tiles and the chart have something to show once the sampler has seen the traffic for a while.
  const tile = page.locator('section', {
    has: page.getByRole('heading', { name: 'Hit rate', exact: true }),
  });
  await expect(tile).toContainText('%', { timeout: 30_000 });
  await expect(page.locator('.recharts-area-curve').first()).toBeVisible({ timeout: 40_000 });
  const families = page.getByRole('region', { name: 'Families with most misses' });
  const none = page.getByText('Misses by family are not measured');
  await expect(families.getByRole('link').or(none).first()).toBeVisible();
  await expectAccessible(page, 'overview', THEMES);
});
