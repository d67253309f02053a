import 'server-only';
import { z } from 'zod';
import { consoleLink, type Outgoing, slackText, subjectOf } from '@/lib/alerts/outgoing';
import { maskSecrets } from '@/lib/keyspace/mask';
import type { Locale } from '@/lib/locales';
import { type SentTexts, sentTexts } from '@/lib/sent-texts';
import { iso } from '@/lib/time';
import { actionWords } from './action-words';

const wording = z.object({ title: z.string(), lines: z.array(z.string()) });
export type Wording = z.output<typeof wording>;

/** What a message says, before it is written for a kind of channel. */
export const notice = z.object({
  event: z.enum(['entry', 'approval', 'reminder', 'alarm', 'more', 'digest', 'test']),
  /** The name of the notification. */
  notification: z.string(),
  /** Epoch ms. */
  at: z.number(),
  /** In English: all that consoles of an older version store and read. */
  ...wording.shape,
  /** In the other languages of its channels. */
  translations: z.record(z.string(), wording).optional(),
  tone: z.enum(['bad', 'warn', 'good', 'plain']),
  /** The page of the console. */
  path: z.string(),
  /** The same as fields, for webhooks. */
  data: z.record(z.string(), z.json()),
});
export type Notice = z.output<typeof notice>;

/** What the wording of one language needs. */
export interface Texts {
  language: Locale;
  t: SentTexts;
  /** An operation in words. */
  action: (id: string) => string;
}

/** A message that has no wording yet. */
export interface Draft extends Omit<Notice, 'title' | 'lines' | 'translations'> {
  write: (texts: Texts) => Wording;
}

/** The message in English and in these languages. */
export const written = async ({ write, ...facts }: Draft, languages: readonly Locale[]): Promise<Notice> => {
  const wordingIn = async (language: Locale): Promise<Wording> =>
    write({ language, t: sentTexts(language), action: await actionWords(language) });
  const others = [...new Set(languages)].filter((language) => language !== 'en');
  const entries = others.map(async (language) => [language, await wordingIn(language)] as const);
  const translations = Object.fromEntries(await Promise.all(entries));
  return { ...facts, ...(await wordingIn('en')), translations };
};

const MAX_CHARACTERS = 300;

/** What others wrote, as a part of one line: without line breaks and directions, without secrets, and not too long. */
export const oneLineOf = (text: string): string => {
  const line = maskSecrets(text, false)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}\p{Co}]/gu, '');
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
};

/** The message as each kind of channel sends it, in English where it was not written in the language. */
export const outgoingOf = (id: string, given: Notice, language: Locale): Outgoing => {
  const { event, notification, at, tone, path, data } = given;
  const translation = given.translations?.[language];
  const { title, lines } = translation ?? given;
  const t = sentTexts(translation ? language : 'en');
  const href = consoleLink(path);
  const text = lines.join('\n');
  return {
    id,
    webhook: JSON.stringify({ id, event, notification, at: iso(at), title, text, href, ...data }),
    slack: slackText({ title, text, tone, link: href, linkTitle: t('sentTexts.notification.link') }),
    mail: {
      subject: subjectOf(title),
      text: [...lines, '', href, t('sentTexts.notification.footer', { name: notification })]
        .filter((line) => line !== null)
        .join('\n'),
    },
  };
};
