import type { Page } from '@playwright/test';
import { expectLoaded, PAGE_ADDRESSES, TAB_ADDRESSES } from './addresses';
import { PICTURES } from './axe';
import { expect, test } from './fixtures';

test.describe.configure({ mode: 'parallel', timeout: 600_000 });

const WIDTHS = [1440, 1280, 390];

/** Words of the interface that are wider than their space, without a title that has the full text. */
const cutWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const words = 'h1, h2, h3, button, [role="tab"], .mantine-Badge-label, .mantine-Button-label, nav a, th';
    const line = document.createElement('canvas').getContext('2d')!;
    const placeholders = [...document.querySelectorAll<HTMLInputElement>('main input[placeholder]')]
      .filter((input) => input.checkVisibility() && input.value === '' && innerWidth > 500)
      .flatMap((input) => {
        const { font, paddingLeft, paddingRight } = getComputedStyle(input);
        line.font = font;
        const place = input.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        const { width } = line.measureText(input.placeholder);
        return width > place + 1 ? [`placeholder “${input.placeholder}” ${width} > ${place}`] : [];
      });
    const cut = [...document.querySelectorAll<HTMLElement>(words)]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 8)
      .filter((element) => getComputedStyle(element).overflowX !== 'visible' && !element.closest('[title]'))
      .map(
        (element) =>
          `${element.tagName} “${element.textContent}” ${element.scrollWidth} > ${element.clientWidth}`,
      );
    const range = document.createRange();
    const broken = [...document.querySelectorAll('th')].flatMap((head) => {
      const brokenWords: string[] = [];
      const texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
      while (texts.nextNode())
        for (const { 0: word, index } of (texts.currentNode as Text).data.matchAll(
          /(?:(?!\p{Script=Han})\p{Alphabetic})+/gu,
        )) {
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1)
            brokenWords.push(`broken “${word}”`);
        }
      return brokenWords;
    });
    return [...cut, ...placeholders, ...broken];
  });

/** Sentences in English: four of its words in a row, outside of data (`bdi`, code, inputs). */
const englishSentences = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const sentences = new Set<string>();
    const texts = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement: parent } = texts.currentNode as Text;
      if (parent?.closest('bdi, code, pre, input, textarea, script, style, [translate="no"]')) continue;
      if (/(?:\b[a-z]+\b[ ,]+){3}[a-z]{2,}\b/.test(data)) sentences.add(data);
    }
    return [...sentences];
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
    const faults: string[] = [];
    for (const address of [...PAGE_ADDRESSES, ...TAB_ADDRESSES]) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(address);
      await expect(page.locator('html')).toHaveAttribute('lang', language);
      await expectLoaded(page);
      const english = language === 'en' ? [] : await englishSentences(page);
      for (const text of english) faults.push(`${address}: ${text}`);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
        // Columns are hidden one frame later.
        await page.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        for (const cut of await cutWords(page)) faults.push(`${address} at ${width}: ${cut}`);
        const wider = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (wider > 0) faults.push(`${address} scrolls sideways at ${width}`);
        if (!PICTURES) continue;
        for (const theme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
          const name = address.replaceAll(/\W+/g, '-');
          await page.screenshot({ path: `test-results/pictures/${language}${name}-${theme}-${width}.png` });
        }
      }
    }
    await context.close();
    expect([...new Set(faults)]).toEqual([]);
  });
