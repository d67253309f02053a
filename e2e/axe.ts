import type { Page } from '@playwright/test';
import type { AxeResults, RunOptions } from 'axe-core';
import { source } from 'axe-core';
import { expect } from './fixtures';

/** `KEYWARD_PICTURES=1` keeps a picture of everything that is looked at: nothing compares them. */
export const PICTURES = process.env.KEYWARD_PICTURES === '1';

/** Colours are the theme's and not the width's, structure is the width's and not the theme's: each is looked at once. */
const LOOKS = [
  { theme: 'light', width: 1440, height: 900, part: 'all' },
  { theme: 'light', width: 390, height: 844, part: 'structure' },
  { theme: 'dark', width: 1440, height: 900, part: 'colours' },
] as const;

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

/** A page in both themes and at two widths: axe finds nothing, and it does not scroll sideways. */
export const expectAccessible = async (page: Page, name: string): Promise<void> => {
  for (const { theme, width, height, part } of LOOKS) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme);
    await page.setViewportSize({ width, height });
    await settled(page);
    if (PICTURES) await page.screenshot({ path: `test-results/looks/${name}-${theme}-${width}.png` });
    expect(await faults(page, part), `${name}, ${theme}, ${width} px`).toEqual([]);
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wider, `${name} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
  }
};
