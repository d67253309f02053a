import 'server-only';
import { hash } from 'node:crypto';
import type { ReadContext } from '@/lib/command/context';
import { ahead } from '@/lib/redis/ahead';
import type { Key } from '@/lib/redis/commands';
import { scanPatterns } from '@/lib/redis/whole-scan';
import type { Branch } from './target';

/** Above them keys that SCAN gives twice are no longer told apart: a million take 83 MB, 110 MB at most. */
const MAX_SEEN = 1_000_000;
/** A longer name is remembered by its digest, which no shorter name can be taken for. */
const DIGEST_LENGTH = 64;

/** Tells keys seen before from new ones: SCAN may give a key twice. */
export class SeenKeys {
  private readonly names = new Set<string>();

  isNew(key: Key): boolean {
    const name = key.length < DIGEST_LENGTH ? key.toString('latin1') : hash('sha256', key, 'hex');
    if (this.names.has(name)) return false;
    if (this.names.size < MAX_SEEN) this.names.add(name);
    return true;
  }
}

/** The connection's budget asks for no pauses: then reading goes on while what was read is worked on. */
export const isUnthrottled = ({ connection }: ReadContext): boolean => connection.budget.limits.pauseMs === 0;

/** A call may take this many of the budget's chunks, for of most keys the server only looks at the name. */
export const CHUNKS_A_CALL = 10;

export interface ScanRequest {
  branches: readonly Branch[];
  /** What was found before and is not given again. */
  seen: SeenKeys;
  /** Chunks of the budget that one call takes. */
  times: number;
}

/** The keys that any of the branches searches for, each once, in one walk through the keyspace. */
export async function* scanBranches(
  ctx: ReadContext,
  { branches, seen, times }: ScanRequest,
): AsyncGenerator<{ keys: Key[]; share: number }> {
  const searches = branches.flatMap(({ search }) => search ?? []);
  if (searches.length === 0) return;
  const patterns = searches.map(({ match }) => match);
  const isFound = (key: Key) => searches.some((search) => search.accepts(key)) && seen.isNew(key);
  const pages = scanPatterns(ctx.connection, patterns, { times });
  for await (const { keys, share } of isUnthrottled(ctx) ? ahead(pages) : pages) {
    yield { keys: keys.filter(isFound), share };
  }
}
