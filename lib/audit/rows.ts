import 'server-only';
import type { Store } from '@/lib/redis/store';
import { auditKeys, entryDigest, isHeadMac } from './chain';
import { type Row, toRow } from './entries';
import type { Head } from './known-heads';

/** One end of the chain, as stored beside the stream. */
export interface Anchor extends Head {
  id: string;
  /** Whether its MAC is valid; null when there is no anchor. */
  genuine: boolean | null;
}

export const readAnchor = async (store: Store, kind: 'head' | 'base'): Promise<Anchor> => {
  const [digest, seq, id, mac] = await store.use((redis) =>
    redis.hmget(auditKeys[kind], 'digest', 'seq', 'id', 'mac'),
  );
  if (!digest) return { digest: '', seq: 0, id: '', genuine: null };
  const head = { digest, seq: Number(seq) };
  return { ...head, id: id ?? '', genuine: isHeadMac(kind, head, id ?? '', mac ?? '') };
};

/** Rows from one stream id (`(id` excludes it, `-` is the beginning) to another, oldest first. */
export const rowsFrom = (store: Store, from: string, to: string, count: number): Promise<Row[]> =>
  store.use(async (redis) => (await redis.xrange(auditKeys.stream, from, to, 'COUNT', count)).map(toRow));

/** What is wrong with a row that should follow `last`; null for a sound one. */
export const faultOf = (row: Row, last: Head): string | null => {
  if (!row.record) return 'an entry is not readable';
  if (entryDigest(row.prev, row.text) !== row.digest) return 'an entry was changed';
  if (row.prev !== last.digest || row.record.seq !== last.seq + 1)
    return 'an entry is missing or out of order';
  return null;
};

export const headOf = (row: Row): Head => ({ digest: row.digest, seq: row.record!.seq });
