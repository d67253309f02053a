import 'server-only';
import { notFound, Problem } from '@/lib/errors';
import { looksSecret } from '@/lib/keyspace/mask';
import { isSecretName } from '@/lib/keyspace/secret-name';
import { etagOf, type StoredValue, textOf } from '@/lib/values/string-value';
import { readBoolean, writeBoolean } from '@/lib/values/style';

/** Longer values are not shown: a flag is a single word. */
const MAX_SHOWN_BYTES = 256;

export interface FlagState {
  /** null if the value is not a boolean. */
  enabled: boolean | null;
  /** Stored text; null if it looks secret, is not text, or is too long. */
  raw: string | null;
}

/** The text if users without `env:view` may see it, else null. */
export const shownText = (name: string, text: string): string | null => {
  if (Buffer.byteLength(text) > MAX_SHOWN_BYTES) return null;
  // A boolean is never secret, whatever its name: FEATURE_TOKEN_LOGIN is a flag like any other.
  const secret = readBoolean(text) === null && (isSecretName(name) || looksSecret(text));
  return secret ? null : text;
};

/** The full text of a value; null if it is of another type, cut or not UTF-8. */
export const fullText = (value: StoredValue): string | null =>
  value.type === 'string' && value.length === value.bytes.length ? textOf(value.bytes) : null;

export const stateOf = (name: string, value: StoredValue): FlagState => {
  const text = fullText(value);
  const raw = text === null ? null : shownText(name, text);
  return { enabled: raw === null ? null : readBoolean(raw), raw };
};

/** Etag of a string key that holds this text. */
export const textEtag = (text: string): string => {
  const bytes = Buffer.from(text);
  return etagOf('string', bytes.length, bytes);
};

/** "On" in the format of a boolean text: true, TRUE, 1, On, yes …; mixed case becomes lower case. */
export const onText = (text: string): string | null => {
  const off = writeBoolean(text, false);
  return off === null ? null : writeBoolean(readBoolean(text) ? off : writeBoolean(off, true)!, true);
};

export const missing = (): Problem => notFound('This flag');

/** 412 with the current state. */
export const changed = (name: string, current: StoredValue): Problem =>
  new Problem('changed', 'This flag was changed since you read it. Check the current value.', {
    extensions: { etag: current.etag, ...stateOf(name, current) },
  });
