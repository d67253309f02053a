import 'server-only';
import { digest, sameDigest } from '@/lib/keyring';

/**
 * What decides something in each kind of record. When somebody was here last is left out: it decides nothing, and is
 * written by a script that has no key.
 */
const DECIDING = {
  user: ['email', 'name', 'role', 'disabled', 'createdAt', 'epoch', 'passwordHash'],
  'api-token': ['name', 'role', 'createdAt', 'createdBy', 'owner', 'madeBy', 'expiresAt', 'digest'],
  session: ['user', 'epoch', 'signedInAt'],
} as const;

export type RecordKind = keyof typeof DECIDING;
export type RecordFields = Record<string, string>;

/** As the store gives it back: half a character of UTF-16 has no bytes of its own. */
const stored = (value: string | undefined): string | null =>
  value === undefined ? null : Buffer.from(value).toString();

/** The MAC of a record under the console's own key: what the store holds without it was not written by the console. */
export const recordMac = (kind: RecordKind, id: string, fields: RecordFields): string =>
  digest('record', JSON.stringify([kind, id, ...DECIDING[kind].map((name) => stored(fields[name]))]));

export const isGenuine = (kind: RecordKind, id: string, fields: RecordFields): boolean =>
  fields.mac !== undefined && sameDigest(fields.mac, recordMac(kind, id, fields));
