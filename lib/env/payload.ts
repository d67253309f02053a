import 'server-only';
import { z } from 'zod';
import { isoTime } from '@/lib/contract';
import { parseStored } from '@/lib/stored-json';
import { iso } from '@/lib/time';
import { nameBytes, nameOf } from '@/lib/values/name-text';
import type { StoredValue } from '@/lib/values/string-value';
import type { Skipped } from './plaintext';

/** Content of a backup, in a file or in the store. Names and values are base64, because they may be any bytes. */
const payload = z.object({
  format: z.literal(1),
  connection: z.string(),
  at: isoTime,
  variables: z.array(
    z.object({ name: z.base64(), value: z.base64(), ttlSeconds: z.number().int().positive().nullable() }),
  ),
  /** Variables that existed but are not included: a restore with `deleteOthers` must not delete them. */
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
      // A TTL under one second is read as 0, which cannot be set.
      ttlSeconds: ttlSeconds === null ? null : Math.max(1, ttlSeconds),
    })),
    skipped: [...skipped],
  };
  return Buffer.from(JSON.stringify(content));
};

/** Parses a decrypted backup; null if it is invalid or of an unknown format. */
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
