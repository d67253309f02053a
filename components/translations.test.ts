import compile from 'icu-minify/compile';
import { describe, expect, it } from 'vitest';
import { FEATURES } from '@/lib/command/features';
import { CHECKLIST_TITLES, RULE_TEXTS } from '@/lib/conventions/rule-texts';
import { DOUBTS } from '@/lib/env/doubts';
import { PROBLEMS } from '@/lib/errors';
import { ADDRESS_FAULTS } from '@/lib/guard/address-faults';
import { LOCALE_IDS, LOCALES, type Locale } from '@/lib/locales';
import { loadTexts } from '@/messages/load';

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

/** The server's sentences that have a translation: of English they have the server's own. */
const SERVER_TEXTS: Tree = {
  feature: Object.fromEntries(FEATURES.map(({ id, title }) => [id, title])),
  checklist: CHECKLIST_TITLES,
  variable: DOUBTS,
  address: ADDRESS_FAULTS,
  problem: Object.fromEntries(Object.entries(PROBLEMS).map(([code, { title }]) => [code, title])),
  rule: Object.fromEntries(
    Object.entries(RULE_TEXTS).map(([id, { title, why, how, remedy }]) => [id, { title, why, how, remedy }]),
  ),
};

describe.each(LOCALE_IDS.filter((id) => id !== 'en') as Exclude<Locale, 'en'>[])('%s', async (locale) => {
  const english = new Map(leaves(await loadTexts('en')));
  const { serverTexts, ...texts } = (await loadTexts(locale)) as unknown as Tree;
  const own = new Map(leaves(texts));
  const translated = [...own].flatMap(([key, text]) => {
    const original = english.get(key);
    return original === undefined ? [] : [{ key, text, original }];
  });

  it('has each text, and no other', () => {
    expect([...own.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('has each sentence of the server, and no other', () => {
    const { attention, ...fixed } = serverTexts as Tree;
    expect(
      leaves(fixed)
        .map(([key]) => key)
        .sort(),
    ).toEqual(
      leaves(SERVER_TEXTS)
        .map(([key]) => key)
        .sort(),
    );
    expect(leaves(attention as Tree)).not.toEqual([]);
  });

  it('takes what the sentences of the server take', () => {
    const original = new Map(leaves({ variable: DOUBTS, address: ADDRESS_FAULTS }));
    const differing = leaves(serverTexts as Tree).filter(([key, text]) => {
      const sentence = original.get(key);
      return sentence !== undefined && shapeOf(text).takes.join() !== shapeOf(sentence).takes.join();
    });
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
