import type { Page } from '@playwright/test';
import type { AxeResults, ElementContext, RunOptions } from 'axe-core';
import { source } from 'axe-core';
import { expect } from './fixtures';

/** `KEYWARD_PICTURES=1` saves a screenshot of every check, for people to look at: nothing compares them. */
export const PICTURES = process.env.KEYWARD_PICTURES === '1';

/** Colours depend on the theme and structure on the width, so each is checked once. */
const VIEWS = {
  light: { theme: 'light', width: 1440, height: 900, part: 'all' },
  dark: { theme: 'dark', width: 1440, height: 900, part: 'colours' },
  /** 200 % at 1440 × 900. */
  zoom: { theme: 'light', width: 720, height: 450, part: 'structure' },
  phone: { theme: 'dark', width: 390, height: 844, part: 'structure' },
} as const;

/** Rules about colours, which take axe most of its time. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

type Part = 'all' | 'colours' | 'structure';

const OPTIONS: Record<Part, RunOptions> = {
  all: {},
  colours: { runOnly: COLOURS },
  structure: { rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])) },
};

type Run = (context: ElementContext, options: RunOptions) => Promise<AxeResults>;

/** Runs axe in the page itself, loaded once per document. The console has no frames. */
const faults = async (page: Page, part: Part): Promise<string[]> => {
  const present = await page.evaluate(() => 'axe' in globalThis);
  if (!present) await page.evaluate(source);
  const violations = await page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as { axe: { run: Run } };
    const dialogs = [...document.querySelectorAll('[role=dialog]')].filter((dialog) =>
      dialog.checkVisibility(),
    );
    // The rows of a list are alike: three stand for all.
    const exclude = [...document.querySelectorAll('[data-row] ~ [data-row] ~ [data-row] ~ [data-row]')];
    const include = dialogs.length > 0 ? dialogs : [document.documentElement];
    const results = await axe.run({ include, exclude }, { ...options, resultTypes: ['violations'] });
    return results.violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target) }));
  }, OPTIONS[part]);
  return violations.map(({ id, targets }) => `${id}: ${targets.join(', ')}`);
};

/** Waits until finite animations have ended: axe would report colours in transition. */
const settled = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    const moving = () =>
      document.getAnimations().filter(({ effect, playState }) => {
        const end = effect?.getComputedTiming().endTime;
        return playState === 'running' && typeof end === 'number' && Number.isFinite(end);
      });
    // Elements that inherit a colour start their transition later, so two frames without animations are required.
    for (let still = 0; still < 2; still++) {
      const animations = moving();
      if (animations.length > 0) still = -1;
      await Promise.allSettled(animations.map(({ finished }) => finished));
      await new Promise(requestAnimationFrame);
    }
  });

/** Does nothing where the page looks like this already: each change lays all of it out again. */
const show = async (
  page: Page,
  { theme, width, height }: (typeof VIEWS)[keyof typeof VIEWS],
): Promise<void> => {
  const html = page.locator('html');
  if ((await html.getAttribute('data-mantine-color-scheme')) !== theme) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await expect(html).toHaveAttribute('data-mantine-color-scheme', theme);
  }
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height });
};

/** axe finds nothing in the page, or in the dialogs that are open over it, and nothing scrolls sideways. */
export const expectAccessible = async (
  page: Page,
  name: string,
  views: readonly (keyof typeof VIEWS)[] = ['light'],
): Promise<void> => {
  for (const view of views) {
    const { theme, width, part } = VIEWS[view];
    await show(page, VIEWS[view]);
    await settled(page);
    if (PICTURES) await page.screenshot({ path: `test-results/pictures/${name}-${theme}-${width}.png` });
    expect.soft(await faults(page, part), `${name}, ${theme}, ${width} px`).toEqual([]);
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect.soft(wider, `${name} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
  }
  await show(page, VIEWS.light);
};
