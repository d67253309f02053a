import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { isScanCursor } from '@/lib/redis/scan';
import { type From, keysFrom, readMatches, scanCandidates } from './candidates';
import { passes } from './filter';
import { familyOf, parseLegacyKey, sessionKeyOf } from './keys';
import type { Match, SourceChunk } from './match';
import type { SessionFilter } from './schema';
import { isStaleCursor, parseStale, scanStale } from './stale';
import { readAlive } from './tokens/alive';
import { toLegacySession, toStaleSession } from './view';

/** Where sessions of a filter come from: session keys, legacy keys, or index entries without session. */
export interface Source {
  isCursor(cursor: string): boolean;
  chunks(from: From): AsyncGenerator<SourceChunk>;
  /** The matches among elements, in their order; null for the others. */
  read(elements: readonly Buffer[]): Promise<(Match | null)[]>;
}

const sessions = (ctx: ReadContext, filter: SessionFilter): Source => ({
  isCursor: isScanCursor,
  chunks: (from) => scanCandidates(ctx, filter, from),
  read: (elements) => readMatches(ctx, elements, filter),
});

const readLegacy = async (
  ctx: ReadContext,
  filter: SessionFilter,
  keys: readonly Key[],
): Promise<(Match | null)[]> => {
  const parsed = keys.map((key) => parseLegacyKey(ctx, key));
  const alive = await readAlive(
    ctx,
    parsed.filter((key) => key !== null),
  );
  const ttls = new Map(alive.map(({ key, ttlSeconds }) => [key, ttlSeconds]));
  const now = ctx.now();
  return parsed.map((legacy) => {
    const ttl = legacy ? ttls.get(legacy.key) : undefined;
    if (!legacy || ttl === undefined) return null;
    const { userId, token } = legacy;
    const key = { key: sessionKeyOf(ctx, userId, token), userId, token, wellFormed: true };
    const session = toLegacySession(legacy, ttl, now);
    return passes(session, filter, now) ? { key, legacy, session } : null;
  });
};

const legacyKeys = (ctx: ReadContext, filter: SessionFilter): Source => ({
  isCursor: isScanCursor,
  chunks: (from) => keysFrom(ctx, familyOf(ctx, 'discours.legacy-session').match(), from),
  read: (keys) => readLegacy(ctx, filter, keys),
});

const staleEntries = (ctx: ReadContext, filter: SessionFilter): Source => ({
  isCursor: isStaleCursor,
  chunks: (from) => scanStale(ctx, from),
  read: async (elements) =>
    elements.map((element) => {
      const key = parseStale(ctx, element);
      const session = toStaleSession(key);
      return passes(session, filter, ctx.now()) ? { key, legacy: null, session } : null;
    }),
});

export const sourceOf = (ctx: ReadContext, filter: SessionFilter): Source => {
  if (filter.state === 'legacy') return legacyKeys(ctx, filter);
  return filter.state === 'staleIndex' ? staleEntries(ctx, filter) : sessions(ctx, filter);
};
