import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './fixtures';

const THEMES = ['light', 'dark'] as const;

const faults = async (page: Page): Promise<string[]> => {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(', ')}`);
};

/** A page in both themes and at two widths: axe finds nothing, it does not scroll sideways, pictures are kept. */
export const lookAt = async (page: Page, name: string): Promise<void> => {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme);
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.screenshot({ path: `test-results/looks/${name}-${theme}-${width}.png` });
      // Colours are the theme's and not the width's: narrow is looked through once.
      if (theme === 'light' || width > 390)
        expect(await faults(page), `${name}, ${theme}, ${width} px`).toEqual([]);
      const wider = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wider, `${name} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
};
