import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { scanKeys } from '@/lib/redis/scan';
import { readAlive } from './alive';
import { matchOf, type TokenKind } from './kinds';
import { readPassing } from './reads';
import type { TokenFilter } from './schema';

/** Which tokens: these, or all that pass. */
export interface TokenSelection {
  ids?: string[];
  filter?: TokenFilter;
}

type Kind<K extends { key: Key }, T extends { ttlSeconds: number | null }> = TokenKind<K, T>;

/** Keys that are meant, a chunk of a scan at a time; with `ids` until all are found. */
export async function* selected<K extends { key: Key }, T extends { ttlSeconds: number | null }>(
  ctx: ReadContext,
  kind: Kind<K, T>,
  { ids, filter = {} }: TokenSelection,
  signal?: AbortSignal,
): AsyncGenerator<K[]> {
  const wanted = new Set(ids);
  const isNew = distinct();
  const pick = async (keys: readonly K[]): Promise<K[]> => {
    if (ids) return keys.filter((key) => wanted.delete(kind.id(key)));
    const tokens = await readPassing(ctx, kind, keys, filter);
    return keys.filter((_, i) => tokens[i] !== null);
  };
  const exact = kind.exact?.(ctx, { ids, filter });
  if (exact) {
    const alive = await readAlive(ctx, exact);
    yield await pick(exact.filter((key) => alive.some((one) => one.key.equals(key.key))));
    return;
  }
  for await (const { keys } of scanKeys(ctx.connection, { match: matchOf(ctx, kind), signal })) {
    const parsed = keys
      .filter(isNew)
      .map((key) => kind.parse(ctx, key))
      .filter((key): key is K => key !== null);
    if (parsed.length > 0) yield await pick(parsed);
    if (ids && wanted.size === 0) return;
  }
}

const AT_ONCE = 100;

/** Deletes keys; how many there were. */
export const unlink = async (ctx: WriteContext, keys: readonly Key[]): Promise<number> => {
  let gone = 0;
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const slice = keys.slice(from, from + AT_ONCE);
    const replies = await ctx.writer.writeMany(slice.map((key) => ['UNLINK', key] as const));
    gone += replies.reduce((sum, reply) => sum + reply, 0);
  }
  return gone;
};

const countSelected = async <K extends { key: Key }, T extends { ttlSeconds: number | null }>(
  ctx: ReadContext,
  kind: Kind<K, T>,
  selection: TokenSelection,
): Promise<number> => {
  let count = 0;
  for await (const keys of selected(ctx, kind, selection)) count += keys.length;
  return count;
};

export interface TokenCounts {
  matched: number;
  revoked: number;
  alreadyGone: number;
  remaining: number;
  dryRun: boolean;
}

/** What would be deleted, with nothing changed. */
export const previewTokens = async <K extends { key: Key }, T extends { ttlSeconds: number | null }>(
  ctx: ReadContext,
  kind: Kind<K, T>,
  selection: TokenSelection,
): Promise<TokenCounts> => {
  const there = await countSelected(ctx, kind, selection);
  const matched = selection.ids ? new Set(selection.ids).size : there;
  return { matched, revoked: 0, alreadyGone: matched - there, remaining: there, dryRun: true };
};

/**
 * Deletes what is meant and looks again. `before` is told of each chunk before it goes, and may throw to stop; what is
 * deleted by then stays so.
 */
export const revokeTokens = async <K extends { key: Key }, T extends { ttlSeconds: number | null }>(
  ctx: WriteContext,
  kind: Kind<K, T>,
  selection: TokenSelection,
  run: { signal?: AbortSignal; before?(revoked: number, next: number): Promise<void> } = {},
): Promise<TokenCounts> => {
  let matched = 0;
  let revoked = 0;
  for await (const found of selected(ctx, kind, selection, run.signal)) {
    if (found.length === 0) continue;
    await run.before?.(revoked, found.length);
    matched += found.length;
    revoked += await unlink(
      ctx,
      found.map(({ key }) => key),
    );
  }
  if (selection.ids) matched = new Set(selection.ids).size;
  const remaining = await countSelected(ctx, kind, selection);
  return { matched, revoked, alreadyGone: matched - revoked, remaining, dryRun: false };
};
