import 'server-only';
import type { Store } from '@/lib/redis/store';
import { auditKeys, chainOf, entryDigest, type Head, isHeadMac } from './chain';
import { type Row, toRow } from './entries';

export interface Verdict {
  ok: boolean;
  /** Entries walked. */
  entries: number;
  /** The audit id of the first entry that is not as it was written; where none is left, of the head. */
  firstBadId: string | null;
  problem: string | null;
}

interface Anchor extends Head {
  id: string;
  /** Whether its MAC holds; null when there is no anchor. */
  genuine: boolean | null;
}

const PAGE = 500;

const readAnchor = async (store: Store, kind: 'head' | 'base'): Promise<Anchor> => {
  const [digest, seq, id, mac] = await store.use((redis) =>
    redis.hmget(auditKeys[kind], 'digest', 'seq', 'id', 'mac'),
  );
  if (!digest) return { digest: '', seq: 0, id: '', genuine: null };
  const head = { digest, seq: Number(seq) };
  return { ...head, id: id ?? '', genuine: isHeadMac(kind, head, id ?? '', mac ?? '') };
};

/** What is wrong with a row that should follow `last`; null when nothing is. */
const fault = (row: Row, last: Head): string | null => {
  if (!row.record) return 'an entry is not readable';
  if (entryDigest(row.prev, row.text) !== row.digest) return 'an entry was changed';
  if (row.prev !== last.digest || row.record.seq !== last.seq + 1)
    return 'an entry is missing or out of order';
  return null;
};

const readPage = (store: Store, from: string): Promise<Row[]> =>
  store.use(async (redis) => {
    const rows = (await redis.xrange(auditKeys.stream, from, '+', 'COUNT', PAGE)) as [string, string[]][];
    return rows.map(toRow);
  });

const bad = (entries: number, firstBadId: string | null, problem: string): Verdict => ({
  ok: false,
  entries,
  firstBadId,
  problem,
});

/**
 * Walks the chain from where retention cut it to the head. Finds a changed, missing, reordered entry, a cut
 * tail and a forged head. Entries appended while it walks are walked too.
 */
export const verifyChain = async (store: Store): Promise<Verdict> => {
  const known = chainOf(store).knownSeq;
  const base = await readAnchor(store, 'base');
  const head = await readAnchor(store, 'head');
  if (base.genuine === false) return bad(0, null, 'the record of where the log begins was changed');
  let last: Head = base;
  let entries = 0;
  let from = '-';
  for (;;) {
    const rows = await readPage(store, from);
    for (const row of rows) {
      const problem = fault(row, last);
      if (problem) return bad(entries, row.record?.id ?? row.streamId, problem);
      last = { digest: row.digest, seq: row.record!.seq };
      entries += 1;
      // The head as it was when the walk began must lie on the chain.
      if (last.seq === head.seq && last.digest !== head.digest)
        return bad(entries, row.record!.id, 'the head does not belong to the chain');
    }
    if (rows.length < PAGE) break;
    from = `(${rows[rows.length - 1]!.streamId}`;
  }
  if (head.genuine === false) return bad(entries, head.id || null, 'the head was changed');
  if (head.genuine === null && entries > 0) return bad(entries, null, 'the head is missing');
  if (last.seq < Math.max(head.seq, known))
    return bad(entries, head.id || null, 'the newest entries were cut off');
  return { ok: true, entries, firstBadId: null, problem: null };
};
