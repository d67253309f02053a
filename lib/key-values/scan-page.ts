import 'server-only';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { type FilledPage, fillPage } from '@/lib/redis/page';
import { scanKeys } from '@/lib/redis/scan';
import { FIRST_CURSOR, isScanCursor } from '@/lib/redis/scan-nodes';
import { cursorOwner } from '@/lib/redis/server-process';

/** After this no further chunk is fetched: a page answers within 300 ms. */
const PAGE_MS = 180;
const FIRST_CHUNK = 100;
/** Multiplies the budget's chunk: names alone cost the server little. */
const NAMES_TIMES = 10;
/** Where each key is read. */
const READ_TIMES = 3;

interface Request<S extends { key: Key }, T> {
  cursor: string | undefined;
  limit: number;
  glob: Buffer;
  /** Whether most keys that match the glob are read, which limits the chunk. */
  reads: boolean;
  /** Selects by name. What it drops leaves no trace in the cursor, which could reveal that a secret matches. */
  select(keys: readonly Key[]): Promise<S[]>;
  read(selected: readonly S[]): Promise<(T | null)[]>;
}

/** What a chunk scanned and found. */
interface ChunkCount {
  scanned: number;
  found: number;
  fresh: number;
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

/**
 * Keys scanned for a page. A chunk that the page could not show completely is scanned again by the next one, so each page
 * counts its own share of it.
 */
const countScanned = (chunks: readonly ChunkCount[], shown: number): number => {
  let left = shown;
  let scanned = 0;
  for (const chunk of chunks) {
    scanned += chunk.scanned * share(Math.min(left, chunk.fresh), chunk.found);
    left -= chunk.fresh;
  }
  return Math.round(scanned);
};

/**
 * A page of a scan. Chunks grow while a filter finds little, and are small where most keys match. `examined` is in keys
 * of the database, as DBSIZE counts them.
 */
export const scanPage = async <S extends { key: Key }, T>(
  handle: ConnectionHandle,
  { cursor, limit, glob, reads, select, read }: Request<S, T>,
): Promise<FilledPage<T>> => {
  const counts: ChunkCount[] = [];
  let [chunk, kept, scanned] = [FIRST_CHUNK, 0, 0];
  let selected = new Map<string, S>();
  const times = reads ? READ_TIMES : NAMES_TIMES;
  const max = handle.budget.limits.chunk * times;
  const nextChunk = (): number => {
    if (scanned > 0) {
      const wanted = kept === 0 ? chunk * 4 : Math.ceil(((limit - kept) * scanned) / kept);
      chunk = Math.min(Math.max(wanted, FIRST_CHUNK / 4), max);
    } else chunk = Math.min(Math.max(limit, FIRST_CHUNK / 4), FIRST_CHUNK, max);
    scanned += chunk;
    return chunk;
  };
  const page = await fillPage<T>({
    cursor,
    limit,
    withinMs: PAGE_MS,
    first: FIRST_CURSOR,
    isServerCursor: isScanCursor,
    servedBy: () => cursorOwner(handle),
    async *chunks(from) {
      const scan = scanKeys(handle, { match: glob, chunk: nextChunk, times, cursor: from, isPage: true });
      for await (const { keys, cursor: next } of scan) {
        selected = new Map((await select(keys)).map((one) => [one.key.toString('latin1'), one]));
        const elements = [...selected.values()].map(({ key }) => key);
        counts.push({ scanned: Math.max(chunk, keys.length), found: elements.length, fresh: 0 });
        yield { elements, cursor: next };
      }
    },
    read: async (keys) => {
      counts.at(-1)!.fresh = keys.length;
      const found = await read(keys.map((key) => selected.get(key.toString('latin1'))!));
      kept += found.filter((one) => one !== null).length;
      return found;
    },
  });
  return { ...page, examined: countScanned(counts, page.examined) };
};
