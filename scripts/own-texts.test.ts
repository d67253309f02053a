import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import compile from 'icu-minify/compile';
import { _createCache, _createIntlFormatters } from 'use-intl/core';
import formatParsed from 'use-intl/format-message';
import formatOnly from 'use-intl/format-message/format-only';
import { describe, expect, it } from 'vitest';
import { messages } from '@/messages/en';
import { filesUnder } from './files-under.mjs';
import ownTexts from './own-texts.cjs';

const { namesOnly, withNamespaces } = ownTexts;

const root = join(import.meta.dirname, '..');

describe('a module that uses texts', () => {
  it('brings each namespace that it names, once', () => {
    const source = "const a = useTranslations('hitRates.drop');\nconst b = useTranslations('hitRates');\n";
    const whole = withNamespaces(source);
    expect(whole.startsWith(source)).toBe(true);
    expect(whole.match(/^import \w+ from '@\/messages\/en\/hit-rates\.json';$/gm)).toHaveLength(1);
    expect(whole).toContain("ownTexts['hitRates'] = textsOf_hitRates;");
  });

  it('is left as it is without texts', () => {
    expect(withNamespaces('const a = 1;')).toBe('const a = 1;');
  });

  it('names its namespaces in words that are files', () => {
    const sources = (filesUnder(join(root, 'components')) as string[])
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => readFileSync(file, 'utf8'));
    const imported = sources.flatMap((source) => [
      ...withNamespaces(source).matchAll(/^import \w+ from '@\/messages\/(en\/[\w-]+\.json)';$/gm),
    ]);
    expect(imported.length).toBeGreaterThan(300);
    const files = new Set(imported.map(([, file]) => file));
    for (const file of files) expect(() => readFileSync(join(root, 'messages', file!))).not.toThrow();
  });
});

it('keeps the names of pages and operations, which are used by key', () => {
  const source = readFileSync(join(root, 'messages/en.ts'), 'utf8');
  const kept = JSON.parse(
    /^export const messages = (.*);$/m.exec(namesOnly(source, join(root, 'messages'), compile))![1]!,
  );
  expect(Object.keys(kept)).toEqual(expect.arrayContaining(Object.keys(messages)));
  expect(kept.flags).toEqual({ title: messages.flags.title, actions: messages.flags.actions });
  expect(kept.families.navInvalidate).toBe(messages.families.navInvalidate);
});

const textsIn = (texts: object, path = ''): [key: string, text: string][] =>
  Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[path + key, text]] : textsIn(text, `${path}${key}.`),
  );

/** Values for what a text names: counts, words and tags. */
const valuesOf = (text: string, count: number) => {
  const tags = [...text.matchAll(/<(\w+)>/g)].map(([, name]) => [name, (chunks: unknown) => `[${chunks}]`]);
  const selects = [...text.matchAll(/\{(\w+), select, +(\w+)/g)].map(([, name, option]) => [name, option]);
  const names = [...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => [name, count]);
  return Object.fromEntries([...names, ...selects, ...tags]);
};

it('reads the same when it is compiled', { tags: 'long' }, () => {
  const cache = _createCache();
  const options = { cache, formatters: _createIntlFormatters(cache), locale: 'en', timeZone: 'UTC' };
  const texts = textsIn(messages);
  expect(texts.length).toBeGreaterThan(3000);
  const differs = ([key, text]: [string, string]) =>
    [0, 1, 1234].some((count) => {
      const values = valuesOf(text, count);
      const parsed = formatParsed(key, text as never, values, options);
      return formatOnly(key, compile(text), values, options) !== parsed;
    });
  expect(texts.filter(differs)).toEqual([]);
});
