import 'server-only';
import type { AuditJson } from '@/lib/command/define';
import { digest } from '@/lib/keyring';
import { cutName, displayBytes } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import { looksSecret } from '@/lib/keyspace/mask';
import type { FamilyRole } from '@/lib/keyspace/roles';
import { isSecretName } from '@/lib/keyspace/secret-name';
import type { Key } from '@/lib/redis/commands';
import { partIn } from '@/lib/role-keys/part-in-key';
import { looksLikeKeyBytes } from '@/lib/values/key-bytes';
import { textOf } from '@/lib/values/string-value';
import { findSpans } from './secret-spans';

/** Characters of a value, and of a field’s name, in the audit log. */
const MAX_AUDITED = 200;

const looksLikeSecret = (bytes: Buffer): boolean => {
  const text = textOf(bytes);
  if (text === null) return looksLikeKeyBytes(bytes);
  if (looksSecret(text)) return true;
  return findSpans(bytes.toString('latin1'), { strict: true, isSecretField: isSecretName }).length > 0;
};

const isSecretPart = (family: Family | null, field: Buffer | null, bytes: Buffer): boolean => {
  if (family?.guarded || family?.sensitiveValue || family?.sensitiveFields) return true;
  return (field !== null && isSecretName(field.toString('utf8'))) || looksLikeSecret(bytes);
};

const digestOf = (key: Key, bytes: Buffer): string =>
  digest('audit-digest', Buffer.concat([Buffer.from(`value\0${key.length}\0`), key, bytes]), 22);

/** A field or member for the audit log. */
export const auditedName = (family: Family | null, bytes: Buffer): AuditJson =>
  isSecretPart(family, null, bytes) && looksLikeSecret(bytes)
    ? { secret: true }
    : cutName(displayBytes(bytes));

/**
 * Values for the audit log. Of families with secrets, and where one of them looks like a secret, all are digests; else their
 * beginning, with a digest where they are longer.
 */
export const auditedValues = (
  family: Family | null,
  key: Key,
  field: Buffer | null,
  values: Readonly<Record<string, Buffer | null>>,
): Record<string, AuditJson> => {
  const all = Object.entries(values);
  const secret = all.some(([, bytes]) => bytes !== null && isSecretPart(family, field, bytes));
  const shown = (bytes: Buffer | null): AuditJson => {
    if (bytes === null) return null;
    if (secret) return { secret: true, digest: digestOf(key, bytes) };
    const text = displayBytes(bytes.subarray(0, 4 * MAX_AUDITED), MAX_AUDITED);
    return text.endsWith('…') || bytes.length > 4 * MAX_AUDITED
      ? { text, lengthBytes: bytes.length, digest: digestOf(key, bytes) }
      : text;
  };
  return Object.fromEntries(all.map(([name, bytes]) => [name, shown(bytes)]));
};

/** Roles whose keys hold secrets in their values or members. */
const SECRET_ROLES: ReadonlySet<FamilyRole> = new Set<FamilyRole>([
  'session',
  'session-index',
  'legacy-session',
  'access-token',
  'refresh-token',
  'sign-in-state',
  'verification-token',
  'variable',
]);

export const isSecretVariable = (family: Family | null, key: Key): boolean =>
  family?.role === 'variable' && isSecretName(partIn(family, family.parse(key), 'name') ?? '');

/** Whether a key of this family may hold secrets. */
export const holdsSecrets = (family: Family | null): boolean =>
  family !== null &&
  (family.sensitiveValue === true ||
    (family.sensitiveFields?.length ?? 0) > 0 ||
    (family.role !== undefined && SECRET_ROLES.has(family.role)));
