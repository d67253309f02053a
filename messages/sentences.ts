import { createTranslator } from 'next-intl';
import { withPlainSpaces } from '@/lib/format';
import type { Locale } from '@/lib/locales';

/** English sentences of the server, with `{name}` for what differs, and their translations. */
export type Sentences = Record<string, string>;
export type Translate = (english: string) => string;

const PLACEHOLDER = /\{(\w+)\}/g;
const MAX_VALUE = 300;
/** Longer texts contain somebody's data. */
const MAX_LENGTH = 600;
/** The end of a sentence, where another one follows. */
const BOUNDARY = /(?<=[.:;!?]) (?=\S)/g;

/** Matches exactly this text, within a regular expression. */
export const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

const formOf = (english: string, translation: string) => {
  const parts = english.split(PLACEHOLDER);
  return {
    // Odd parts are names.
    pattern: new RegExp(
      `^${parts.map((part, i) => (i % 2 === 0 ? escaped(part) : `([^]{0,${MAX_VALUE}}?)`)).join('')}$`,
    ),
    names: parts.filter((_, i) => i % 2 === 1),
    translation,
  };
};

/**
 * Translates what the server wrote in English: refusals and reasons, one sentence or several. What has no translation
 * stays English.
 */
export const translatorOf = (sentences: Sentences, locale: Locale): Translate => {
  const fixed = new Map(Object.entries(sentences));
  const format = (sentence: string, values: Record<string, string | number>): string =>
    withPlainSpaces(createTranslator({ locale, messages: { sentence } })('sentence', values));
  const forms = Object.entries(sentences)
    .filter(([english]) => english.search(PLACEHOLDER) >= 0)
    .map(([english, translation]) => formOf(english, translation))
    // What has more words of its own is the closer match.
    .sort((a, b) => b.pattern.source.length - a.pattern.source.length);

  /** A single word is a name, except as the title of a family. */
  const given = (text: string, name: string): string | number => {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    return text.includes(' ') || name === 'title' ? translate(text) : text;
  };

  const translateOne = (english: string): string | null => {
    const known = fixed.get(english);
    if (known !== undefined) return format(known, {});
    for (const { pattern, names, translation } of forms) {
      const match = pattern.exec(english);
      if (!match) continue;
      const values = Object.fromEntries(names.map((name, i) => [name, given(match[i + 1]!, name)]));
      return format(translation, values);
    }
    return null;
  };

  /** Chinese has no space after its full stop. */
  const joined = (before: string, rest: string): string =>
    /[\u3000-\u303f\uff00-\uffef]$/.test(before) ? before + rest : `${before} ${rest}`;

  /** The longest beginning that has a translation, and the rest. */
  const translate = (english: string): string => {
    if (english.length > MAX_LENGTH) return english;
    const ends = [...[...english.matchAll(BOUNDARY)].map(({ index }) => index), english.length];
    for (const end of ends.toReversed()) {
      const translation = translateOne(english.slice(0, end));
      if (translation === null) continue;
      const rest = english.slice(end + 1);
      return rest ? joined(translation, translate(rest)) : translation;
    }
    const [first = english.length] = ends;
    const rest = english.slice(first + 1);
    return rest ? `${english.slice(0, first)} ${translate(rest)}` : english;
  };
  return translate;
};
