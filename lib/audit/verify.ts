import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '@/lib/redis/store';
import { auditKeys } from './chain';
import { pointerField, type Row } from './entries';
import type { Head } from './known-heads';
import { faultOf, headOf, readAnchor, rowsFrom } from './rows';
import type { Verdict } from './schema';
import { knownHeads } from './watch-record';

/** Small, so that a page occupies the process for a few milliseconds only. */
const PAGE = 100;
const MAX_ATTEMPTS = 5;

/** Compares stream ids (`ms-seq`). */
const isBefore = (a: string, b: string): boolean => {
  const [left, right] = [a, b].map((id) => id.split('-').map(Number));
  return left![0]! < right![0]! || (left![0] === right![0] && (left![1] ?? 0) < (right![1] ?? 0));
};

/**
 * Finds a row that no pointer leads to. Changes are shown by their pointers, so such a row would be hidden although it
 * exists. A pointer may lead to a later row (the same thing recorded again); reads check that it belongs to the same
 * change.
 */
const unreachable = async (store: Store, rows: readonly Row[]): Promise<Row | null> => {
  const holders = await store.use(async (redis) => {
    const pipeline = redis.pipeline();
    for (const { record } of rows)
      pipeline.hmget(auditKeys.pointer(record!.id), 'intent', pointerField(record!));
    return (await pipeline.exec()) ?? [];
  });
  const index = holders.findIndex(([, reply], i) => {
    const [intent, own] = (reply ?? []) as (string | null)[];
    // Retention deleted its intent: an existing one would have been verified before it.
    if (!intent && pointerField(rows[i]!.record!) !== 'intent') return false;
    return typeof own !== 'string' || isBefore(own, rows[i]!.streamId);
  });
  return rows[index] ?? null;
};

interface Walk {
  entries: number;
  last: Head;
  lastId: string | null;
  bad: { id: string; problem: string } | null;
}

/** The digests that the chain must have, by sequence number. */
const digestsBySeq = (heads: readonly Head[]): Map<number, Set<string>> => {
  const bySeq = new Map<number, Set<string>>();
  for (const { seq, digest } of heads) bySeq.set(seq, (bySeq.get(seq) ?? new Set()).add(digest));
  return bySeq;
};

/** Walks from `base` to the end. `heads`, known before the walk began, must be on the chain. */
const walk = async (store: Store, base: Head, heads: readonly Head[], pauseMs: number): Promise<Walk> => {
  const at: Walk = { entries: 0, last: base, lastId: null, bad: null };
  const expected = digestsBySeq(heads);
  let from = '-';
  for (;;) {
    const rows = await rowsFrom(store, from, '+', PAGE);
    for (const row of rows) {
      const problem = faultOf(row, at.last);
      if (problem) return { ...at, bad: { id: row.record?.id ?? row.streamId, problem } };
      at.last = headOf(row);
      at.lastId = row.record!.id;
      at.entries += 1;
      for (const digest of expected.get(at.last.seq) ?? [])
        if (digest !== at.last.digest) return { ...at, bad: { id: at.lastId, problem: NOT_ON_CHAIN } };
    }
    const hidden = rows.length > 0 ? await unreachable(store, rows) : null;
    if (hidden)
      return { ...at, bad: { id: hidden.record!.id, problem: 'the pointer to an entry was removed' } };
    if (rows.length < PAGE) return at;
    from = `(${rows[rows.length - 1]!.streamId}`;
    if (pauseMs > 0) await sleep(pauseMs);
  }
};

const NOT_ON_CHAIN = 'entries were removed and replaced: a known head is not on the chain';

const verifyOnce = async (store: Store, also: readonly Head[], pauseMs: number): Promise<Verdict> => {
  const known = [...(await knownHeads(store)), ...also];
  const base = await readAnchor(store, 'base');
  const head = await readAnchor(store, 'head');
  const { entries, last, lastId, bad } = await walk(store, base, [head, ...known], pauseMs);
  const verdict = (firstBadId: string | null, problem: string): Verdict => ({
    ok: false,
    entries,
    firstBadId,
    problem,
  });
  if (base.genuine === false)
    return verdict(bad?.id ?? lastId, 'the record of where the log begins was altered');
  if (bad) return verdict(bad.id, bad.problem);
  if (head.genuine === false) return verdict(lastId ?? head.id, 'the head was changed');
  if (head.genuine === null && entries > 0) return verdict(lastId, 'the head is missing');
  if (Math.max(head.seq, ...known.map(({ seq }) => seq)) > last.seq)
    return verdict(head.id || lastId, 'the newest entries were removed');
  return { ok: true, entries, firstBadId: null, problem: null };
};

/**
 * Walks the chain from where retention cut it to the head. Detects a changed, missing, reordered or hidden entry, a
 * truncated tail, and a forged or restored head: every known head, and those of `also`, must be on the chain. Includes
 * entries appended meanwhile. Waits `pauseMs` between pages.
 */
export const verifyChain = async (
  store: Store,
  also: readonly Head[] = [],
  pauseMs = 0,
): Promise<Verdict> => {
  for (let attempt = 1; ; attempt++) {
    const base = await readAnchor(store, 'base');
    const verdict = await verifyOnce(store, also, pauseMs);
    // Retention may have moved the beginning meanwhile, which looks like a removal.
    if (verdict.ok || attempt === MAX_ATTEMPTS || (await readAnchor(store, 'base')).digest === base.digest)
      return verdict;
  }
};
