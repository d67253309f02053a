import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { distinct } from '@/lib/redis/distinct';
import { scanKeys } from '@/lib/redis/scan';
import { walkWithRestart } from '@/lib/redis/server-process';
import { readExisting, unlinkKeys } from '@/lib/sessions/keyspace';
import { type AnyKey, type AnyToken, matchOf, type TokenKind } from './kinds';
import { readPassing } from './reads';
import type { TokenFilter, TokenRevocation } from './schema';

/** Which tokens: these, or all that match. */
export interface TokenSelection {
  ids?: string[];
  filter?: TokenFilter;
}

/** The selected keys, a chunk of a scan at a time and each once; with `ids` until all are found. */
async function* selected<K extends AnyKey, T extends AnyToken>(
  ctx: ReadContext,
  kind: TokenKind<K, T>,
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
    const alive = await readExisting(ctx, exact);
    yield await pick(exact.filter((key) => alive.some((one) => one.key.equals(key.key))));
    return;
  }
  const match = matchOf(ctx, kind);
  if (match === null) return;
  for await (const { keys } of scanKeys(ctx.connection, { match, signal })) {
    const parsed = keys.filter(isNew).map((key) => kind.parse(ctx, key));
    const found = parsed.filter((key): key is K => key !== null);
    if (found.length > 0) yield await pick(found);
    if (ids && wanted.size === 0) return;
  }
}

interface Walk<K> {
  /** Deletes the keys and returns how many existed; a preview has no sink. */
  sink?(keys: readonly K[]): Promise<number>;
  signal?: AbortSignal;
  /** Called before each chunk is deleted; may throw to stop, which keeps earlier deletions. */
  before?(revoked: number, next: number): Promise<void>;
  /** For a preview: aborts when the caller disconnects. */
  caller?: AbortSignal;
}

/** The only loop of preview, run and verification. */
const walk = async <K extends AnyKey, T extends AnyToken>(
  ctx: ReadContext,
  kind: TokenKind<K, T>,
  selection: TokenSelection,
  { sink, signal, before, caller }: Walk<K> = {},
): Promise<{ found: number; revoked: number }> => {
  const counts = { found: 0, revoked: 0 };
  // Deleted keys are not found again.
  const restarted = () => {
    if (!sink) counts.found = 0;
  };
  const keysOf = () => selected(ctx, kind, selection, caller ?? signal);
  for await (const keys of walkWithRestart(ctx.connection, keysOf, { restarted, signal })) {
    if (keys.length === 0) continue;
    await before?.(counts.revoked, keys.length);
    counts.found += keys.length;
    counts.revoked += (await sink?.(keys)) ?? 0;
  }
  return counts;
};

const matchedOf = ({ ids }: TokenSelection, found: number): number => (ids ? new Set(ids).size : found);

/** What would be deleted, without changing anything. */
export const previewTokens = async <K extends AnyKey, T extends AnyToken>(
  ctx: ReadContext,
  kind: TokenKind<K, T>,
  selection: TokenSelection,
): Promise<TokenRevocation> => {
  const { found } = await walk(ctx, kind, selection, { caller: ctx.signal });
  const matched = matchedOf(selection, found);
  return { matched, revoked: 0, alreadyGone: matched - found, remaining: found, dryRun: true };
};

/** Deletes the selected tokens and searches again. */
export const revokeTokens = async <K extends AnyKey, T extends AnyToken>(
  ctx: WriteContext,
  kind: TokenKind<K, T>,
  selection: TokenSelection,
  hooks: Omit<Walk<K>, 'sink'> = {},
): Promise<TokenRevocation> => {
  const sink = (keys: readonly K[]) => unlinkKeys(ctx, keys);
  const { found, revoked } = await walk(ctx, kind, selection, { ...hooks, sink });
  const matched = matchedOf(selection, found);
  const { found: remaining } = await walk(ctx, kind, selection);
  return { matched, revoked, alreadyGone: matched - revoked, remaining, dryRun: false };
};
