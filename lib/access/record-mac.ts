import 'server-only';
import { digest, sameDigest } from '@/lib/keyring';

/**
 * The authenticated fields of each kind of record. The last use is not among them: it grants nothing, and a script
 * without the key writes it.
 */
const DECIDING = {
  user: ['email', 'name', 'role', 'disabled', 'createdAt', 'epoch', 'passwordHash'],
  'api-token': ['name', 'role', 'createdAt', 'createdBy', 'owner', 'madeBy', 'expiresAt', 'digest'],
  session: ['user', 'epoch', 'signedInAt'],
  invitation: ['digest', 'kind', 'epoch', 'expiresAt'],
} as const;

export type RecordKind = keyof typeof DECIDING;
export type RecordFields = Record<string, string>;

/** As the store returns it: a lone surrogate of UTF-16 does not survive the encoding. */
const stored = (value: string | undefined): string | null =>
  value === undefined ? null : Buffer.from(value).toString();

/** The MAC of a record under the console's own key. A record without it was not written by the console. */
export const recordMac = (kind: RecordKind, id: string, fields: RecordFields): string =>
  digest(
    'record',
    // A subject and a second factor came later: records without them keep their MACs.
    JSON.stringify([
      kind,
      id,
      ...DECIDING[kind].map((name) => stored(fields[name])),
      ...(fields.subject === undefined ? [] : [stored(fields.subject)]),
      ...(fields.secondFactor ? ['second factor', stored(fields.secondFactor)] : []),
    ]),
  );

export const isGenuine = (kind: RecordKind, id: string, fields: RecordFields): boolean =>
  fields.mac !== undefined && sameDigest(fields.mac, recordMac(kind, id, fields));
