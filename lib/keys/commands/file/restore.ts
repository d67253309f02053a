import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import { Problem, withDetail } from '@/lib/errors';
import type { Arg, Expiry, Key } from '@/lib/redis/commands';
import { classify, isInDoubt, unavailable } from '@/lib/redis/failure';
import { expiryArg, refusalOf } from '@/lib/snapshots/restore-keys';
import { snapshot } from '@/lib/snapshots/snapshot-keys';
import { type KeyDump, Snapshots } from '@/lib/snapshots/snapshots';
import type { ImportRow } from './plan';

/** A restored key, with the content that an undo compares. */
export interface Restored {
  /** Base64. */
  key: string;
  type: string;
  /** `length:digest`. */
  content: string;
  replaced: boolean;
  [name: string]: string | boolean;
}

/** One key of the script `import-keys`. */
export interface ImportCall {
  key: Key;
  expires: Expiry;
  dump: Buffer;
  expected: Buffer | string;
}

export interface ImportReply {
  state: string;
  type: string;
  content: string;
}

const SCRIPT = {
  name: 'import-keys',
  // TIME, and RESTORE of each key.
  otherCalls: ([results]: readonly unknown[]) => 1 + (results as unknown[]).length,
};

const argsOf = ({ key, expires, dump, expected }: ImportCall): Arg[] => [
  key,
  expiryArg(expires),
  dump,
  expected,
];

/** Runs the script on keys of one slot. Throws 503 where the server accepts no key at all. */
export const importTogether = async (
  ctx: WriteContext,
  calls: readonly ImportCall[],
): Promise<ImportReply[]> => {
  const reply = await ctx.writer.runAlone(
    SCRIPT,
    calls.map(({ key }) => key),
    calls.flatMap(argsOf),
  );
  const [results, refusal] = reply as [[Buffer, Buffer, number, Buffer][], Buffer];
  const error = refusalOf(String(refusal));
  if (error && classify(error)) throw unavailable(ctx.connection.config.id, error);
  return results.map(([state, type, length, digest]) => ({
    state: String(state),
    type: String(type),
    content: `${length}:${digest}`,
  }));
};

const CHECK_BYTES = 8;
const expectedOf = (copy: KeyDump | undefined): Buffer | string =>
  copy ? Buffer.concat([Buffer.from('d'), copy.value.subarray(-CHECK_BYTES)]) : '';

type Outcome = Pick<ImportRow, 'status' | 'reason'>;

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  r: { status: 'restored', reason: null },
  b: { status: 'exists', reason: 'It was created meanwhile.' },
  c: { status: 'refused', reason: 'It was changed meanwhile.' },
  e: { status: 'expired', reason: null },
  x: { status: 'refused', reason: 'The server refuses the value: it may come from a newer server.' },
};

type Ready = ImportRow & { read: NonNullable<ImportRow['read']> };
const isReady = (row: ImportRow): row is Ready =>
  row.read !== null && (row.status === 'new' || row.status === 'replace');

/** One call of the script stays short. */
const MAX_BATCH_KEYS = 50;
const MAX_BATCH_BYTES = 512 * 1024;

/** In a cluster each key by itself: the next one is in another slot, or its slot is being moved. */
const batchesOf = ({ connection }: WriteContext, rows: readonly Ready[]): Ready[][] => {
  if (connection.topology.kind === 'cluster') return rows.map((row) => [row]);
  const batches: Ready[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const last = batches[batches.length - 1];
    bytes += row.read.dump.length;
    if (last && last.length < MAX_BATCH_KEYS && bytes <= MAX_BATCH_BYTES) last.push(row);
    else {
      batches.push([row]);
      bytes = row.read.dump.length;
    }
  }
  return batches;
};

const idOf = (key: Key): string => key.toString('latin1');

const storeCopies = async (store: Snapshots, copies: readonly KeyDump[]): Promise<void> => {
  const entries = copies.map((copy) => ({ ...copy, mark: 'plain' as const }));
  try {
    await store.add(await store.prepare(entries), entries.length);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'no_undo') throw error;
    throw new Problem('no_undo', 'This replaces more than undo can store. Import fewer keys at a time.');
  }
};

/** Stores copies of what is replaced. Rows whose key is too large for that are refused. */
const copiesOf = async (
  ctx: WriteContext,
  store: Snapshots,
  rows: readonly Ready[],
): Promise<Map<string, KeyDump>> => {
  const copies = new Map<string, KeyDump>();
  let keys = rows.filter(({ status }) => status === 'replace').map(({ read }) => read.key);
  while (keys.length > 0) {
    const { there, tooLarge, left } = await snapshot(ctx.writer, keys);
    if (there.length > 0) await storeCopies(store, there);
    for (const copy of there) copies.set(idOf(copy.key), copy);
    const large = new Set(tooLarge.map(idOf));
    const reason = 'The present value is too large to be stored for undo.';
    for (const row of rows)
      if (large.has(idOf(row.read.key))) Object.assign(row, { status: 'refused', reason });
    keys = left;
  }
  return copies;
};

const restoreBatch = async (
  ctx: WriteContext,
  store: Snapshots,
  batch: readonly Ready[],
): Promise<Restored[]> => {
  const copies = await copiesOf(ctx, store, batch);
  const rows = batch.filter(isReady);
  if (rows.length === 0) return [];
  const calls = rows.map(({ read: { key, expiresAt, dump } }) => ({
    key,
    expires: expiresAt ?? -1,
    dump,
    expected: expectedOf(copies.get(idOf(key))),
  }));
  const replies = await importTogether(ctx, calls);
  return rows.flatMap((row, i) => {
    const { state, type, content } = replies[i]!;
    Object.assign(row, OUTCOMES[state]);
    if (state !== 'r') return [];
    const { key } = row.read;
    return [{ key: key.toString('base64'), type, content, replaced: copies.has(idOf(key)) }];
  });
};

/**
 * Restores the planned rows and writes into each what became of it. If the server fails half-way, the rest is refused with
 * the reason, so that what was restored can be undone.
 */
export const restorePlanned = async (ctx: WriteContext, rows: readonly ImportRow[]): Promise<Restored[]> => {
  const store = new Snapshots(ctx.store, ctx.auditId);
  const restored: Restored[] = [];
  for (const batch of batchesOf(ctx, rows.filter(isReady))) {
    try {
      restored.push(...(await restoreBatch(ctx, store, batch)));
    } catch (error) {
      if (restored.length === 0) throw error;
      const doubt = isInDoubt(error) ? 'It may or may not have been restored.' : 'It was not restored.';
      const { message } = withDetail(error, doubt) as Error;
      for (const row of batch.filter(isReady)) Object.assign(row, { status: 'refused', reason: message });
      break;
    }
  }
  for (const row of rows.filter(isReady))
    Object.assign(row, { status: 'refused', reason: 'Not restored: the server failed before.' });
  return restored;
};
