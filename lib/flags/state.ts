import 'server-only';
import { notFound, Problem } from '@/lib/errors';
import { isSecretName, looksSecret } from '@/lib/values/secret';
import { etagOf, type StoredValue, textOf } from '@/lib/values/string-value';
import { readBoolean, writeBoolean } from '@/lib/values/style';

/** Of a longer value only the length is of interest: a flag is a word. */
const SHOWN_BYTES = 256;

export interface FlagState {
  /** null: no boolean. */
  enabled: boolean | null;
  /** The stored text; null when it looks secret, is not text, or is no flag's any more. */
  raw: string | null;
}

/** A text as far as it may be shown to people who may not see variables. */
export const shownText = (name: string, text: string): string | null => {
  if (Buffer.byteLength(text) > SHOWN_BYTES) return null;
  // A boolean is no secret whatever its name says: FEATURE_TOKEN_LOGIN is a flag like any other.
  const secret = readBoolean(text) === null && (isSecretName(name) || looksSecret(text));
  return secret ? null : text;
};

/** The whole text of a value; null when it is of another type, cut, or no UTF-8. */
export const fullText = (value: StoredValue): string | null =>
  value.type === 'string' && value.length === value.bytes.length ? textOf(value.bytes) : null;

/** What a flag's stored value says. */
export const stateOf = (name: string, value: StoredValue): FlagState => {
  const text = fullText(value);
  const raw = text === null ? null : shownText(name, text);
  return { enabled: raw === null ? null : readBoolean(raw), raw };
};

/** The etag a string key will have once it holds this text. */
export const textEtag = (text: string): string => {
  const bytes = Buffer.from(text);
  return etagOf('string', bytes.length, bytes);
};

/** The text for "on" in the style of a boolean text: true, TRUE, 1, On, yes …; odd case becomes plain. */
export const onText = (text: string): string | null => {
  const off = writeBoolean(text, false);
  return off === null ? null : writeBoolean(readBoolean(text) ? off : writeBoolean(off, true)!, true);
};

export const missing = (): Problem => notFound('This flag');

/** 412 with what is there now. */
export const changed = (name: string, present: StoredValue): Problem =>
  new Problem('changed', 'This flag was changed since you read it. Look at it again.', {
    extensions: { etag: present.etag, ...stateOf(name, present) },
  });
