import 'server-only';
import type { AuditJson } from '@/lib/command/define';
import { digest } from '@/lib/keyring';
import { looksSecret } from '@/lib/keyspace/mask';
import { isSecretName } from '@/lib/keyspace/secret-name';
import { looksLikeKeyBytes } from '@/lib/values/key-bytes';
import { textOf } from '@/lib/values/string-value';

/** A value or its beginning; a `StoredValue` is one. */
export interface Part {
  type: string;
  bytes: Buffer;
  /** Length of the full value in bytes. */
  length: number;
}

export const stringPart = (bytes: Buffer): Part => ({ type: 'string', bytes, length: bytes.length });

const secretByShape = ({ type, bytes }: Part): boolean => {
  if (type !== 'string') return false;
  if (looksSecret(bytes.toString('utf8'))) return true;
  return textOf(bytes) === null && looksLikeKeyBytes(bytes);
};

/** Why a value is masked: by its name, or because one of these values looks secret. null if it is not. */
export const secretBy = (name: string, ...parts: readonly (Part | null)[]): 'name' | 'shape' | null => {
  if (isSecretName(name)) return 'name';
  return parts.some((part) => part !== null && secretByShape(part)) ? 'shape' : null;
};

/** A value as text; null if it is of another type, not UTF-8, or only its beginning is known. */
export const fullText = ({ type, bytes, length }: Part): string | null =>
  type === 'string' && bytes.length === length ? textOf(bytes) : null;

const cutText = (text: string, max: number): string => {
  const characters = Array.from(text.slice(0, 2 * max));
  return text.length > max ? `${characters.slice(0, max).join('')}…` : text;
};

/** The beginning of a value for display; null if it is not text. */
export const shownText = (part: Part, max: number): string | null => {
  const full = fullText(part);
  if (full !== null) return cutText(full, max);
  return part.type === 'string' && part.bytes.length < part.length
    ? `${part.bytes.toString('utf8').slice(0, max)}…`
    : null;
};

const valueDigest = ({ type, bytes, length }: Part): string =>
  digest('audit-digest', Buffer.concat([Buffer.from(`variable\0${type}\0${length}\0`), bytes]), 22);

const recordOf = (part: Part | null, secret: boolean, max: number): AuditJson => {
  if (part === null) return null;
  if (secret) return { secret: true, digest: valueDigest(part) };
  if (part.type !== 'string') return { type: part.type };
  const value = shownText(part, max);
  // Values that are not recorded in full get a digest, so changes can be detected.
  const isFull = value !== null && value === fullText(part);
  return { value, ...(isFull ? {} : { lengthBytes: part.length, digest: valueDigest(part) }) };
};

/** Characters of a value recorded in the audit log. */
const MAX_AUDITED = 1000;

/** A change of value for the audit log: digests only if the old or the new value is secret, else up to `max` characters. */
export const recordChange = (
  name: string,
  before: Part | null,
  after: Part | null,
  max = MAX_AUDITED,
): { before: AuditJson; after: AuditJson } => {
  const secret = secretBy(name, before, after) !== null;
  return { before: recordOf(before, secret, max), after: recordOf(after, secret, max) };
};

// Usual variable names: short upper-case words joined by `_`.
const COMMON_NAME = /^[A-Z][A-Z0-9]{0,23}(_[A-Z0-9]{0,23}){0,20}$/;

/** A name for the audit log; a digest if it looks like a secret pasted by mistake. */
export const auditName = (name: string): string =>
  COMMON_NAME.test(name) || !looksSecret(name)
    ? name
    : `variable ${digest('audit-digest', `name\0${name}`, 22)}`;
