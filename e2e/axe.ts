import type { Page } from '@playwright/test';
import type { AxeResults, RunOptions } from 'axe-core';
import { source } from 'axe-core';
import { expect } from './fixtures';

const THEMES = ['light', 'dark'] as const;

/** Colours are the theme's and not the width's, structure is the width's and not the theme's: each is looked at once. */
const PARTS = { light: { 1440: 'all', 390: 'structure' }, dark: { 1440: 'colours', 390: null } } as const;

/** Rules about colours: axe spends most of its time on them. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

type Part = 'all' | 'colours' | 'structure';

const OPTIONS: Record<Part, RunOptions> = {
  all: {},
  colours: { runOnly: COLOURS },
  structure: { rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])) },
};

type Run = (options: RunOptions) => Promise<AxeResults>;

/** The console has no frames: axe runs in the page itself, read into it once a document. */
const faults = async (page: Page, part: Part): Promise<string[]> => {
  const present = await page.evaluate(() => 'axe' in globalThis);
  if (!present) await page.evaluate(source);
  const violations = await page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as { axe: { run: Run } };
    const found = await axe.run({ ...options, resultTypes: ['violations'] });
    return found.violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target) }));
  }, OPTIONS[part]);
  return violations.map(({ id, targets }) => `${id}: ${targets.join(', ')}`);
};

/** Colours on their way from one theme to the other are nobody's: what moves and comes to an end is waited for. */
const settled = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    const moving = () =>
      document.getAnimations().filter(({ effect, playState }) => {
        const end = effect?.getComputedTiming().endTime;
        return playState === 'running' && typeof end === 'number' && Number.isFinite(end);
      });
    // What inherits a colour begins to move when that arrives: until two frames in a row are still.
    for (let still = 0; still < 2; still++) {
      const found = moving();
      if (found.length > 0) still = -1;
      await Promise.allSettled(found.map(({ finished }) => finished));
      await new Promise(requestAnimationFrame);
    }
  });

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
      await settled(page);
      await page.screenshot({ path: `test-results/looks/${name}-${theme}-${width}.png` });
      const part = PARTS[theme][width];
      if (part) expect(await faults(page, part), `${name}, ${theme}, ${width} px`).toEqual([]);
      const wider = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wider, `${name} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
};
