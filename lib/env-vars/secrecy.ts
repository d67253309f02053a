import 'server-only';
import type { AuditJson } from '@/lib/command/define';
import { digest } from '@/lib/keyring';
import { isSecretName, looksLikeKeyBytes, looksSecret } from '@/lib/values/secret';
import { textOf } from '@/lib/values/string-value';

/** What is at a variable's key, or the beginning of it. A `StoredValue` is one. */
export interface Part {
  type: string;
  bytes: Buffer;
  /** Of the whole, in bytes. */
  length: number;
}

export const stringPart = (bytes: Buffer): Part => ({ type: 'string', bytes, length: bytes.length });

const secretByShape = ({ type, bytes }: Part): boolean => {
  if (type !== 'string') return false;
  if (looksSecret(bytes.toString('utf8'))) return true;
  return textOf(bytes) === null && looksLikeKeyBytes(bytes);
};

/** Why a value is masked, if it is: its name says so, or one of these parts looks so. */
export const secretBy = (name: string, ...parts: readonly (Part | null)[]): 'name' | 'shape' | null => {
  if (isSecretName(name)) return 'name';
  return parts.some((part) => part !== null && secretByShape(part)) ? 'shape' : null;
};

/** A value as text; null where it is another type, no UTF-8, or only the beginning is known. */
export const fullText = ({ type, bytes, length }: Part): string | null =>
  type === 'string' && bytes.length === length ? textOf(bytes) : null;

const cutText = (text: string, most: number): string => {
  const characters = Array.from(text.slice(0, 2 * most));
  return text.length > most ? `${characters.slice(0, most).join('')}…` : text;
};

/** The beginning of a value for reading; null where it is no text. */
export const shownText = (part: Part, most: number): string | null => {
  const whole = fullText(part);
  if (whole !== null) return cutText(whole, most);
  return part.type === 'string' && part.bytes.length < part.length
    ? `${part.bytes.toString('utf8').slice(0, most)}…`
    : null;
};

const valueDigest = ({ type, bytes, length }: Part): string =>
  digest('audit-digest', Buffer.concat([Buffer.from(`variable\0${type}\0${length}\0`), bytes]), 22);

const recordOf = (part: Part | null, secret: boolean, most: number): AuditJson => {
  if (part === null) return null;
  if (secret) return { secret: true, digest: valueDigest(part) };
  if (part.type !== 'string') return { type: part.type };
  const value = shownText(part, most);
  // What is not kept whole is told apart by its digest.
  const whole = value !== null && value === fullText(part);
  return { value, ...(whole ? {} : { lengthBytes: part.length, digest: valueDigest(part) }) };
};

/** Characters of a value the audit log keeps. */
const MAX_AUDITED = 1000;

/**
 * A change of value as the audit log keeps it: what was or became a secret only as digests on both sides, other values
 * cut to `most` characters.
 */
export const recordChange = (
  name: string,
  before: Part | null,
  after: Part | null,
  most = MAX_AUDITED,
): { before: AuditJson; after: AuditJson } => {
  const secret = secretBy(name, before, after) !== null;
  return { before: recordOf(before, secret, most), after: recordOf(after, secret, most) };
};

// Short upper-case words joined by `_`: what people call variables.
const COMMON_NAME = /^[A-Z][A-Z0-9]{0,23}(_[A-Z0-9]{0,23}){0,20}$/;

/** A name as the audit log keeps it. What may be a secret pasted in the wrong place is told by a digest only. */
export const auditName = (name: string): string =>
  COMMON_NAME.test(name) || !looksSecret(name)
    ? name
    : `variable ${digest('audit-digest', `name\0${name}`, 22)}`;
