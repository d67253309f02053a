import compile from 'icu-minify/compile';
import { describe, expect, it } from 'vitest';
import { DOUBTS } from '@/lib/env/doubts';
import { ADDRESS_FAULTS } from '@/lib/guard/address-faults';
import { LOCALE_IDS, LOCALES, type Locale } from '@/lib/locales';
import { loadTexts } from '@/messages/load';
import ru from '@/messages/ru/sentences.json';
import zh from '@/messages/zh/sentences.json';

type Tree = { [key: string]: string | Tree };

const leaves = (tree: Tree, path = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[path + key, value]] : leaves(value, `${path}${key}.`),
  );

const [SELECT, PLURAL] = [1, 2];

/** What a text takes: `x` an argument, `x?a|b` the branches of a choice, `<x>` a tag. Branches of plurals are apart. */
const shapeOf = (text: string) => {
  const takes = new Set<string>();
  const plurals = new Set<string>();
  const walk = (nodes: unknown): void => {
    for (const node of Array.isArray(nodes) ? nodes : []) {
      if (!Array.isArray(node)) continue;
      const [name, kind, options] = node;
      if (node.length > 1 && typeof kind !== 'number') {
        takes.add(`<${name}>`);
        walk(node.slice(1));
        continue;
      }
      takes.add(name);
      const branches = Object.keys(options ?? {}).sort();
      if (kind === SELECT) takes.add(`${name}?${branches.join('|')}`);
      if (kind === PLURAL) plurals.add(branches.filter((branch) => !branch.startsWith('=')).join('|'));
      if (kind === SELECT || kind === PLURAL) for (const branch of Object.values(options)) walk(branch);
    }
  };
  walk(compile(text));
  return { takes: [...takes].sort(), plurals: [...plurals] };
};

/** Words that stay: names of products, formats and environments. */
const NAMES =
  /\b(Redis|Keyward|Valkey|OAuth|Base64|Slugs?|Slack|Webhook|E-mail|JSON lines|AOF|Append-only file|User[- ]agent|Run id|Process id|Hex|nil|notify-keyspace-events|[0-9a-f]{24}|ops|production|staging|development)\b|https?:\S*/gi;

/** Whether a text is the same in every language: names, commands, patterns and symbols. */
const isName = (text: string): boolean =>
  !/\p{L}{3}/u.test(
    text
      .replaceAll(/\{\w+(,[^{}]*)?\}|<[^>]*>/g, ' ')
      .replaceAll(NAMES, ' ')
      .replaceAll(/[A-Z_]{2,}/g, ' '),
  );

const OWN_LETTERS = { ru: /\p{Script=Cyrillic}/u, zh: /\p{Script=Han}/u };

describe.each(LOCALE_IDS.filter((id) => id !== 'en') as Exclude<Locale, 'en'>[])('%s', async (locale) => {
  const english = new Map(leaves(await loadTexts('en')));
  const { attention, ...texts } = (await loadTexts(locale)) as unknown as Tree;
  const own = new Map(leaves(texts));
  const translated = [...own].flatMap(([key, text]) => {
    const original = english.get(key);
    return original === undefined ? [] : [{ key, text, original }];
  });

  it('has each text, and no other', () => {
    expect([...own.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('has what needs attention, whose English is the server’s', () => {
    expect(leaves(attention as Tree)).not.toEqual([]);
  });

  it('takes what the sentences of the server take', () => {
    const sentences: Record<string, string> = { ru, zh }[locale];
    const differing = [...Object.values(DOUBTS), ...Object.values(ADDRESS_FAULTS)].filter(
      (english) => shapeOf(sentences[english] ?? '').takes.join() !== shapeOf(english).takes.join(),
    );
    expect(differing).toEqual([]);
  });

  it('takes what the English takes', { tags: ['long'] }, () => {
    const differing = translated.filter(
      ({ text, original }) => shapeOf(text).takes.join() !== shapeOf(original).takes.join(),
    );
    expect(differing).toEqual([]);
  });

  it('has each plural of its language', () => {
    const categories = new Intl.PluralRules(locale).resolvedOptions().pluralCategories.sort().join('|');
    const wrong = translated.filter(({ text }) => shapeOf(text).plurals.some((each) => each !== categories));
    expect(wrong).toEqual([]);
  });

  it(`is in ${LOCALES[locale]}`, () => {
    const copies = translated.filter(
      ({ text, original }) => !isName(original) && !OWN_LETTERS[locale].test(text),
    );
    expect(copies).toEqual([]);
  });
});
