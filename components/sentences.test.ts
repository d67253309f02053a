import { describe, expect, it } from 'vitest';
import { FEATURES } from '@/lib/command/features';
import { CHECKLIST_TITLES, RULE_TEXTS } from '@/lib/conventions/rule-texts';
import { DOUBTS } from '@/lib/env/doubts';
import { PROBLEMS } from '@/lib/errors';
import { ADDRESS_FAULTS } from '@/lib/guard/address-faults';
import { LOCALE_IDS, LOCALES, type Locale } from '@/lib/locales';
import { loadSentences } from '@/messages/load';
import ru from '@/messages/ru/sentences.json';
import { translatorOf } from '@/messages/sentences';
import zh from '@/messages/zh/sentences.json';
import { catalogWords, formOf, isWritten, refusalsOfServer } from '@/scripts/testing/server-sentences';

const translate = translatorOf(
  {
    'It is gone.': 'Этого больше нет.',
    'Too many calls. Try again in {seconds} s.':
      'Слишком много вызовов. Повторите через {seconds, plural, one {# секунду} few {# секунды} many {# секунд} other {# секунды}}.',
    '{what} was not found.': '{what}: не найдено.',
    'The key': 'Ключ',
    'Flag {name} already exists.': 'Флаг {name} уже есть.',
    '{who} already exists.': '{who}: уже есть.',
  },
  'ru',
);

describe('a sentence of the server', () => {
  it.each([
    ['alone', 'It is gone.', 'Этого больше нет.'],
    [
      'with a number',
      'Too many calls. Try again in 2 s.',
      'Слишком много вызовов. Повторите через 2 секунды.',
    ],
    ['with a word that has a translation', 'The key was not found.', 'Ключ: не найдено.'],
    ['with a name', 'shop.example was not found.', 'shop.example: не найдено.'],
    ['in the closest form', 'Flag A already exists.', 'Флаг A уже есть.'],
    ['before another', 'It is gone. The key was not found.', 'Этого больше нет. Ключ: не найдено.'],
    ['before one without a translation', 'It is gone. Nobody knows.', 'Этого больше нет. Nobody knows.'],
    ['after one without a translation', 'Nobody knows. It is gone.', 'Nobody knows. Этого больше нет.'],
    ['without a translation', 'Nobody knows.', 'Nobody knows.'],
    ['with text that looks like a pattern', '$& {x} was not found.', '$& {x}: не найдено.'],
  ])('is translated: %s', (_what, english, translation) => expect(translate(english)).toBe(translation));

  it('stays English when it is long, because it contains data', () => {
    const long = `${'x'.repeat(700)} was not found.`;
    expect(translate(long)).toBe(long);
  });

  it('is English for who reads English', async () => {
    expect((await loadSentences('en'))('It is gone.')).toBe('It is gone.');
  });
});

/** Texts that the server declares as data. */
const DECLARED: string[] = [
  ...[...FEATURES, ...Object.values(PROBLEMS)].map(({ title }) => title),
  ...Object.values(RULE_TEXTS).flatMap(({ title, why, how, remedy }) => [title, why, how, remedy]),
  ...Object.values({ ...CHECKLIST_TITLES, ...DOUBTS, ...ADDRESS_FAULTS }),
];

const VALUE = /\{\w+\}/g;
const LETTERS = { ru: /\p{Script=Cyrillic}/u, zh: /\p{Script=Han}/u };

const missingIn = (locale: Locale) => `translate these in messages/${locale}/sentences.json`;

describe.each(LOCALE_IDS.filter((id) => id !== 'en') as Exclude<Locale, 'en'>[])('%s', (locale) => {
  const sentences: Record<string, string> = { ru, zh }[locale];
  const entries = Object.entries(sentences);

  it('has each refusal', () => {
    const forms = new Set(Object.keys(sentences).map(formOf));
    expect(
      [...refusalsOfServer()].filter((text) => !forms.has(text)),
      missingIn(locale),
    ).toEqual([]);
  });

  it('has each text of features, rules, checks and problems', () => {
    expect(
      DECLARED.filter((text) => !(text in sentences)),
      missingIn(locale),
    ).toEqual([]);
  });

  it('has each title and purpose in the catalogs of known applications', () => {
    expect(
      [...catalogWords()].filter((text) => !(text in sentences)),
      missingIn(locale),
    ).toEqual([]);
  });

  it('has nothing that the server does not write', { tags: 'long' }, () => {
    const written = isWritten();
    expect(Object.keys(sentences).filter((text) => !written(formOf(text)))).toEqual([]);
  });

  it('takes few values, because each is searched for', () => {
    expect(Object.keys(sentences).filter((text) => (text.match(VALUE) ?? []).length > 5)).toEqual([]);
  });

  it(`is in ${LOCALES[locale]}, with what the English has`, { tags: 'long' }, async () => {
    const translated = await loadSentences(locale);
    // A text that is not well-formed, or lacks a value, has no letters of the language.
    const wrong = entries.filter(
      ([english]) => !LETTERS[locale].test(translated(english.replaceAll(VALUE, '5'))),
    );
    expect(wrong).toEqual([]);
  });
});
