import 'server-only';
import { z } from 'zod';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { LOCALE_IDS, type Locale } from '@/lib/locales';
import type { Store } from '@/lib/redis/store';
import { parseStored, parseStoredHash } from '@/lib/stored-json';
import { CHANNEL_KINDS } from './channels/schema';
import { ruleFields, type ruleTerms } from './schema';

/** A rule as it is stored. */
export const storedRule = z.object({
  ...ruleFields,
  id: z.string(),
  createdBy: z.string(),
  /** Epoch ms. */
  changedAt: z.number(),
});
export type StoredRule = z.output<typeof storedRule>;
/** What a rule watches and when it fires: all that is evaluated. */
export type RuleTerms = z.output<typeof ruleTerms>;

export const storedSilence = z.object({
  /** null: all series. */
  series: z.string().nullable(),
  until: z.number(),
  reason: z.string(),
  by: z.string(),
});
export type StoredSilence = z.output<typeof storedSilence>;
const storedSilences = z.array(storedSilence);

export const storedChannel = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(CHANNEL_KINDS),
  /** The host, or the recipients of mail. */
  target: z.string(),
  /** Address and signing key, sealed for this channel; base64. */
  sealed: z.string(),
  createdBy: z.string(),
  changedAt: z.number(),
  /** Absent in a channel of an older version: English. Last, because a change adds it there. */
  language: z.enum(LOCALE_IDS).optional(),
});
export type StoredChannel = z.output<typeof storedChannel>;

export const languageOf = ({ language }: StoredChannel): Locale => language ?? 'en';

/** What is shown of a channel that a rule names and that is gone. */
export const DELETED_CHANNEL = { name: 'Deleted channel', kind: null } as const;

/** What is stored, with its text: a change replaces exactly what was read. */
export interface Read<T> {
  value: T;
  text: string;
}

const KINDS = {
  rules: { key: consoleFamilies.alertRules, schema: storedRule },
  silences: { key: consoleFamilies.alertSilences, schema: storedSilences },
  channels: { key: consoleFamilies.alertChannels, schema: storedChannel },
} as const;
type Kind = keyof typeof KINDS;
export type Value<K extends Kind> = z.output<(typeof KINDS)[K]['schema']>;

const keyOf = (kind: Kind, connection: string): Buffer => KINDS[kind].key.key({ connection });

export const readAll = async <K extends Kind>(
  store: Store,
  kind: K,
  connection: string,
): Promise<Map<string, Value<K>>> => {
  const texts = await store.use((redis) => redis.hgetall(keyOf(kind, connection)));
  return new Map(parseStoredHash(KINDS[kind].schema, texts) as [string, Value<K>][]);
};

export const readOne = async <K extends Kind>(
  store: Store,
  kind: K,
  connection: string,
  id: string,
): Promise<Read<Value<K>> | null> => {
  const text = await store.use((redis) => redis.hget(keyOf(kind, connection), id));
  const value = parseStored(KINDS[kind].schema, text) as Value<K> | null;
  return value === null ? null : { value, text: text! };
};

/** Sets or deletes (`null`) one while it is as it was read (`null`: absent). */
export const replaceOne = async <K extends Kind>(
  store: Store,
  kind: K,
  connection: string,
  id: string,
  { before, after, max }: { before: string | null; after: Value<K> | null; max: number },
): Promise<'changed' | 'full' | 'ok'> => {
  const args = [id, before ?? '', after === null ? '' : JSON.stringify(after), max];
  const [, , set] = (await store.run('hash-change', [keyOf(kind, connection)], args)) as number[];
  return set === 1 ? 'ok' : set === -1 ? 'full' : 'changed';
};

export const etagOf = (stored: object): string => digest('etag', `alert ${JSON.stringify(stored)}`, 27);
