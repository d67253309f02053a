import 'server-only';
import { z } from 'zod';
import { isoTime } from '@/lib/contract';
import { parseStored } from '@/lib/stored-json';
import { iso } from '@/lib/time';
import type { StoredValue } from '@/lib/values/string-value';
import { nameBytes, nameOf } from '@/lib/values/variable-names';
import type { Skipped } from './plaintext';

/** What a backup holds, in a file or in the store. Names and values are bytes, and so base64. */
const payload = z.object({
  format: z.literal(1),
  connection: z.string(),
  at: isoTime,
  variables: z.array(
    z.object({ name: z.base64(), value: z.base64(), ttlSeconds: z.number().int().positive().nullable() }),
  ),
  /** What was there and is not in it: a restore that deletes others leaves these alone. */
  skipped: z.array(z.string()),
});

export interface Snapshot {
  connection: string;
  at: string;
  variables: { name: string; bytes: Buffer; ttlSeconds: number | null }[];
  skipped: string[];
}

export const takeSnapshot = (
  connection: string,
  now: number,
  variables: readonly { name: string; value: StoredValue }[],
  skipped: readonly Skipped[],
): Snapshot => ({
  connection,
  at: iso(now),
  variables: variables.map(({ name, value: { bytes, ttlSeconds } }) => ({ name, bytes, ttlSeconds })),
  skipped: skipped.map(({ name }) => name),
});

export const writeSnapshot = ({ connection, at, variables, skipped }: Snapshot): Buffer => {
  const content: z.input<typeof payload> = {
    format: 1,
    connection,
    at,
    variables: variables.map(({ name, bytes, ttlSeconds }) => ({
      name: (nameBytes(name) ?? Buffer.from(name)).toString('base64'),
      value: bytes.toString('base64'),
      // A TTL of less than a second reads as 0, which no key can be given.
      ttlSeconds: ttlSeconds === null ? null : Math.max(1, ttlSeconds),
    })),
    skipped: [...skipped],
  };
  return Buffer.from(JSON.stringify(content));
};

/** What a decrypted backup holds; null when it is none, or of a format that is not known here. */
export const readSnapshot = (plain: Buffer): Snapshot | null => {
  const content = parseStored(payload, plain.toString('utf8'));
  if (!content) return null;
  const { connection, at, variables, skipped } = content;
  return {
    connection,
    at,
    skipped,
    variables: variables.map(({ name, value, ttlSeconds }) => ({
      name: nameOf(Buffer.from(name, 'base64')),
      bytes: Buffer.from(value, 'base64'),
      ttlSeconds,
    })),
  };
};
