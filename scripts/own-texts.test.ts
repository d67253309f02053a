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

/** The files of texts that a module imports after its own lines, with the key unless it imports all. */
const importsOf = (source: string): string[] =>
  [
    ...withNamespaces(source)
      .slice(source.length)
      .matchAll(/from '@\/messages\/(en\/[^']+|en\?[^']+)';$/gm),
  ].map(([, file]) => file!);

describe('a module that uses texts', () => {
  it('brings the part that it names, once', () => {
    const source =
      "const a = useTranslations('hitRates.drop');\nconst b = useTranslations('hitRates.drop.answer');\n";
    const whole = withNamespaces(source);
    expect(whole.startsWith(source)).toBe(true);
    expect(importsOf(source)).toEqual(['en/hit-rates.json?key=drop']);
    expect(whole).toContain("Object.assign(ownTexts['hitRates'], { 'drop': textsOf_hitRates_drop });");
  });

  it.each([
    ['words', "t('age')", ['age']],
    ['a path', "t('column.age', { count: f(1, 2) })", ['column']],
    ['one of two', "t(a === 'x' ? 'on' : 'off', {})", ['on', 'off']],
    ['one of three', "t(\n a\n ? 'on.a'\n : b\n ? 'off'\n : 'none',\n)", null],
    ['a part of a path', `t(\`state.\${of(x)}\`)`, ['state']],
    ['rich text', "t.rich('more', { b: (text) => text })", ['more']],
    ['a question', "t.has('more') && t('less')", ['more', 'less']],
    ['dependencies of a hook', "useMemo(() => t('age'), [a.b, t, c])", ['age']],
    ['an unknown key', 't(key)', null],
    ['an unknown key of two', "t(a ? 'on' : key)", null],
    ['the beginning of a key', `t(\`state\${x}\`)`, null],
    ['a translator that is passed on', "t('age'); words(t)", null],
    ['a property', "t('age'); <Row t={t} />", null],
  ])('brings what it uses: %s', (_what, use, keys) => {
    const expected = keys ? keys.map((key) => `en/locks.json?key=${key}`) : ['en/locks.json'];
    expect(importsOf(`const t = useTranslations('locks');\n${use};`)).toEqual(expected);
  });

  it('tells translators of one name in several functions apart', () => {
    const source = `
      const A = () => { const t = useTranslations('locks'); return t('age'); };
      const B = () => { const t = useTranslations('jobs.state'); return t(state); };
      const C = () => { const t = useTranslations('jobs'); return t('undo'); };`;
    expect(importsOf(source)).toEqual([
      'en/locks.json?key=age',
      'en/jobs.json?key=state',
      'en/jobs.json?key=undo',
    ]);
  });

  it.each(["texts: 'locks.lock',", '<ListPage texts="locks" />', '<MeantBadges words="locks.problem" />'])(
    'brings all of a namespace that a declaration names: %s',
    (source) => expect(importsOf(source)).toEqual(['en/locks.json']),
  );

  it('brings the names of operations if it uses all texts by key', () => {
    expect(importsOf('const messages = useMessages();')).toEqual(['en?key=actions']);
  });

  it('brings what pages are for if it uses that', () => {
    expect(importsOf('const help = helpKeyOf(page);')).toEqual(['en?key=help']);
  });

  it('is left as it is without texts', () => {
    expect(withNamespaces('const a = 1;')).toBe('const a = 1;');
  });

  it('names its namespaces in words that are files', () => {
    const sources = (filesUnder(join(root, 'components')) as string[])
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => readFileSync(file, 'utf8'));
    const files = new Set(sources.flatMap(importsOf).filter((file) => file.startsWith('en/')));
    expect(files.size).toBeGreaterThan(150);
    for (const file of files) {
      const [path, key] = file.split('?key=');
      const texts = JSON.parse(readFileSync(join(root, 'messages', path!), 'utf8'));
      if (key) expect(texts, file).toHaveProperty([key]);
    }
  });
});

it('keeps the names of pages, which are used by key, and a place for each namespace', () => {
  const source = readFileSync(join(root, 'messages/en.ts'), 'utf8');
  const kept = JSON.parse(
    /^export const messages = (.*);$/m.exec(namesOnly(source, join(root, 'messages'), compile))![1]!,
  );
  expect(Object.keys(kept)).toEqual(expect.arrayContaining(Object.keys(messages)));
  expect(kept.flags).toEqual({ title: messages.flags.title });
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
