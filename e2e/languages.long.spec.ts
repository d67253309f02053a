import type { Page } from '@playwright/test';
import { expectLoaded, PAGE_ADDRESSES, TAB_ADDRESSES } from './addresses';
import { PICTURES } from './axe';
import { expect, test } from './fixtures';

test.describe.configure({ mode: 'parallel', timeout: 600_000 });

const WIDTHS = [1440, 1280, 390];

/** Words of the interface that are wider than their place, without a title that has the whole. */
const cutWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const words = 'h1, h2, h3, button, [role="tab"], .mantine-Badge-label, .mantine-Button-label, nav a, th';
    const line = document.createElement('canvas').getContext('2d')!;
    const placeholders = [...document.querySelectorAll<HTMLInputElement>('main input[placeholder]')]
      .filter((each) => each.checkVisibility() && each.value === '' && innerWidth > 500)
      .flatMap((each) => {
        const { font, paddingLeft, paddingRight } = getComputedStyle(each);
        line.font = font;
        const place = each.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        const { width } = line.measureText(each.placeholder);
        return width > place + 1 ? [`placeholder “${each.placeholder}” ${width} > ${place}`] : [];
      });
    const cut = [...document.querySelectorAll<HTMLElement>(words)]
      .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 8)
      .filter((each) => getComputedStyle(each).overflowX !== 'visible' && !each.closest('[title]'))
      .map((each) => `${each.tagName} “${each.textContent}” ${each.scrollWidth} > ${each.clientWidth}`);
    const range = document.createRange();
    const broken = [...document.querySelectorAll('th')].flatMap((head) => {
      const found: string[] = [];
      const texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
      while (texts.nextNode())
        for (const { 0: word, index } of (texts.currentNode as Text).data.matchAll(
          /(?:(?!\p{Script=Han})\p{Alphabetic})+/gu,
        )) {
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1)
            found.push(`broken “${word}”`);
        }
      return found;
    });
    return [...cut, ...placeholders, ...broken];
  });

/** Sentences in English: four of its words in a row, outside of data (`bdi`, code, inputs). */
const englishSentences = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>();
    const texts = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement: parent } = texts.currentNode as Text;
      if (parent?.closest('bdi, code, pre, input, textarea, script, style, [translate="no"]')) continue;
      if (/(?:\b[a-z]+\b[ ,]+){3}[a-z]{2,}\b/.test(data)) found.add(data);
    }
    return [...found];
  });

for (const language of ['en', 'ru', 'zh'])
  test(`every page and tab in its words, and nothing is cut: ${language}`, async ({
    browser,
    state,
    sessionOf,
  }) => {
    const context = await browser.newContext({
      baseURL: state.baseUrl,
      locale: language,
      reducedMotion: 'reduce',
    });
    await context.addCookies(await sessionOf('admin'));
    const page = await context.newPage();
    const found: string[] = [];
    for (const address of [...PAGE_ADDRESSES, ...TAB_ADDRESSES]) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(address);
      await expect(page.locator('html')).toHaveAttribute('lang', language);
      await expectLoaded(page);
      const english = language === 'en' ? [] : await englishSentences(page);
      for (const text of english) found.push(`${address}: ${text}`);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
        // Columns give way in the frame after.
        await page.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        for (const each of await cutWords(page)) found.push(`${address} at ${width}: ${each}`);
        const wider = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (wider > 0) found.push(`${address} scrolls sideways at ${width}`);
        if (!PICTURES) continue;
        for (const theme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
          const name = address.replaceAll(/\W+/g, '-');
          await page.screenshot({ path: `test-results/pictures/${language}${name}-${theme}-${width}.png` });
        }
      }
    }
    await context.close();
    expect([...new Set(found)]).toEqual([]);
  });
