import 'server-only';
import { z } from 'zod';
import type { ReadContext } from '@/lib/command/context';
import { isoTime } from '@/lib/contract';
import type { Key } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { scanKeys } from '@/lib/redis/scan';
import type { ScanOptions } from '@/lib/redis/scan-nodes';
import { countWithRestart } from '@/lib/redis/server-process';
import { iso } from '@/lib/time';
import {
  type OauthKey,
  parseOauthKey,
  parseStateKey,
  parseVerificationKey,
  type VerificationKey,
} from '@/lib/tokens/keys';
import { readVerifications } from '@/lib/tokens/kinds';
import { readFacts } from './facts';
import { staleEntriesOf } from './index-entries';
import { indexUserOf, type LegacyKey, parseLegacyKey, parseSessionKey, type SessionKey } from './keys';
import { withOwners } from './owners';
import { SESSION_STATES, type SessionState, sessionStats } from './schema';
import { type SessionFacts, statesOf } from './view';

/** A session and its facts. */
export interface Surveyed {
  key: SessionKey;
  facts: SessionFacts;
  states: SessionState[];
}

/** The sessions and tokens in one chunk of a scan of the full keyspace. */
export interface SurveyChunk {
  /** Number of keys of any kind in this chunk. */
  examined: number;
  sessions: Surveyed[];
  legacy: LegacyKey[];
  /** Users whose index is in this chunk. */
  indexes: string[];
  oauth: OauthKey[];
  verifications: VerificationKey[];
  oauthStates: number;
}

const sort = (ctx: ReadContext, keys: readonly Key[]): SurveyChunk & { found: SessionKey[] } => {
  const chunk = {
    examined: keys.length,
    sessions: [],
    oauthStates: 0,
    found: [] as SessionKey[],
    legacy: [] as LegacyKey[],
    indexes: [] as string[],
    oauth: [] as OauthKey[],
    verifications: [] as VerificationKey[],
  };
  for (const key of keys) {
    const session = parseSessionKey(ctx, key);
    const legacy = session ? null : parseLegacyKey(ctx, key);
    const index = session || legacy ? null : indexUserOf(ctx, key);
    if (session) chunk.found.push(session);
    else if (legacy) chunk.legacy.push(legacy);
    else if (index !== null) chunk.indexes.push(index);
    else sortToken(ctx, key, chunk);
  }
  return chunk;
};

const sortToken = (
  ctx: ReadContext,
  key: Key,
  chunk: Pick<SurveyChunk, 'oauth' | 'verifications' | 'oauthStates'>,
): void => {
  const oauth = parseOauthKey(ctx, key);
  const verification = oauth ? null : parseVerificationKey(ctx, key);
  if (oauth) chunk.oauth.push(oauth);
  else if (verification) chunk.verifications.push(verification);
  else if (parseStateKey(ctx, key)) chunk.oauthStates += 1;
};

/** One scan of the full keyspace under the connection's budget, with the states of every session. */
export async function* survey(
  ctx: ReadContext,
  options: Pick<ScanOptions, 'signal' | 'budget'> = {},
): AsyncGenerator<SurveyChunk> {
  const isNew = distinct();
  for await (const { keys } of scanKeys(ctx.connection, options)) {
    const { found: parsed, ...chunk } = sort(ctx, keys.filter(isNew));
    const sessionKeys = (await withOwners(ctx, parsed)).filter((key) => key !== null);
    const facts = await readFacts(ctx, sessionKeys);
    const sessions = sessionKeys.flatMap((key, i): Surveyed[] => {
      const known = facts[i];
      return known ? [{ key, facts: known, states: statesOf(key, known) }] : [];
    });
    yield { ...chunk, sessions };
  }
}

export const countSchema = sessionStats
  .omit({ counting: true })
  .extend({ sessions: z.number(), countedAt: isoTime });
export type Count = z.output<typeof countSchema>;

class CountByName {
  private readonly counts = new Map<string, number>();

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  entries(): [string, number][] {
    return [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

const countVerifications = async (
  ctx: ReadContext,
  keys: readonly VerificationKey[],
  types: CountByName,
): Promise<void> => {
  const typed = keys.filter(({ type }) => type !== null);
  for (const { type } of typed) types.add(type!);
  const named = await readVerifications(
    ctx,
    keys.filter(({ type }) => type === null),
  );
  for (const token of named) if (token) types.add(token.type ?? '');
};

/** Counts everything in one scan: exact if nothing changes meanwhile. Users are those with a session key in any state. */
export const countSessions = (ctx: ReadContext, signal?: AbortSignal): Promise<Count> =>
  countWithRestart(ctx.connection, () => countOnce(ctx, signal), signal);

const countOnce = async (ctx: ReadContext, signal?: AbortSignal): Promise<Count> => {
  const byState = Object.fromEntries(SESSION_STATES.map((state) => [state, 0])) as Record<
    SessionState,
    number
  >;
  const users = new Set<string>();
  const [oauth, types] = [new CountByName(), new CountByName()];
  let [sessions, oauthStates] = [0, 0];
  for await (const chunk of survey(ctx, { signal })) {
    sessions += chunk.sessions.length;
    for (const { key, states } of chunk.sessions) {
      if (key.userId !== null) users.add(key.userId);
      for (const state of states) byState[state] += 1;
    }
    byState.legacy += chunk.legacy.length;
    for await (const entries of staleEntriesOf(ctx, chunk.indexes)) byState.staleIndex += entries.length;
    for (const { kind, provider } of chunk.oauth) oauth.add(`${kind} ${provider}`);
    await countVerifications(ctx, chunk.verifications, types);
    oauthStates += chunk.oauthStates;
  }
  return {
    sessions,
    users: users.size,
    byState,
    oauth: oauth.entries().map(([name, count]) => {
      const [kind, provider] = name.split(' ') as ['access' | 'refresh', string];
      return { kind, provider, count };
    }),
    verifications: types.entries().map(([type, count]) => ({ type: type === '' ? null : type, count })),
    oauthStates,
    countedAt: iso(ctx.now()),
  };
};
