import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { badField } from '@/lib/errors';
import { isLosslessNumber, parseJson } from '@/lib/exact-json';
import type { Expiry, Key } from '@/lib/redis/commands';
import { dumpProblem } from './dump';

export const FILE_VERSION = 1;
const FORMAT = 'keyward-keys';

/** A key as a line of the file. */
export interface ExportedKey {
  key: Key;
  /** Null for no TTL. */
  expiresAt: Expiry | null;
  type: string;
  dump: Buffer;
}

export const headerLine = (at: string): string =>
  JSON.stringify({ format: FORMAT, v: FILE_VERSION, exportedAt: at });

export const lineOf = ({ key, expiresAt, type, dump }: ExportedKey): string =>
  JSON.stringify({
    v: FILE_VERSION,
    key: key.toString('base64'),
    expiresAt,
    type,
    dump: dump.toString('base64'),
  });

const header = z.object({ format: z.literal(FORMAT), v: z.number() });

const MAX_KEY_BYTES = 128 * 1024;
const base64 = (max: number) => z.base64().max(Math.ceil((max * 4) / 3) + 4);

const MAX_EXPIRY = 2n ** 63n - 1n;

const expiry = z.preprocess(
  // A number would round an expiry of more digits.
  (value) => (isLosslessNumber(value) ? String(value) : value),
  z.union([
    z.number().int().min(1),
    z.string().refine((text) => /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= MAX_EXPIRY),
  ]),
);

const keyLine = z.object({
  v: z.literal(FILE_VERSION),
  key: base64(MAX_KEY_BYTES).min(1),
  expiresAt: expiry.nullable(),
  type: z.string().regex(/^[\w-]{1,50}$/),
  dump: base64(4 * 2 ** 20),
});

/** A line of a file: a key, or why it is none. */
export type FileLine = { line: number } & ({ read: ExportedKey } | { read: null; reason: string });

/** Keys in one file. */
const MAX_KEYS = 1000;

const parsed = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

const REASONS: Record<string, string> = {
  v: 'Written by another version of Keyward.',
  key: 'The key is missing or not base64.',
  expiresAt: 'The expiry is not a time.',
  type: 'The type is missing.',
  dump: 'The value is missing or not base64.',
};

const readLine = (text: string): { read: ExportedKey } | { read: null; reason: string } => {
  const json = parsed(text);
  if (json === undefined) return { read: null, reason: 'Not JSON; the line may be truncated.' };
  const found = keyLine.safeParse(json);
  if (!found.success) {
    const [path] = found.error.issues[0]?.path ?? [];
    return { read: null, reason: REASONS[String(path)] ?? 'Not an exported key.' };
  }
  const { key, expiresAt, type, dump } = found.data;
  const read = { key: Buffer.from(key, 'base64'), expiresAt, type, dump: Buffer.from(dump, 'base64') };
  const problem = dumpProblem(read.dump, type);
  return problem ? { read: null, reason: problem } : { read };
};

/**
 * The keys of a file, line by line, with a turn of the event loop in between. Throws 400 for another file, one of a newer
 * version, and one with more than 1000 keys.
 */
export const readFile = async (text: string): Promise<FileLine[]> => {
  const refuse = (message: string) => badField('file', message);
  const lines = text.split('\n').map((each) => each.trim());
  const first = lines.findIndex((each) => each !== '');
  const head = header.safeParse(parsed(lines[first] ?? ''));
  if (!head.success) throw refuse('This is not a file of exported keys.');
  if (head.data.v > FILE_VERSION) throw refuse('This file was made by a newer version of Keyward.');
  const rest = lines.flatMap((each, i) => (i > first && each !== '' ? [{ each, line: i + 1 }] : []));
  if (rest.length > MAX_KEYS)
    throw refuse(`This file has ${rest.length} keys; at most ${MAX_KEYS} are allowed.`);
  const out: FileLine[] = [];
  for (const { each, line } of rest) {
    out.push({ line, ...readLine(each) });
    await setImmediate();
  }
  return out;
};
