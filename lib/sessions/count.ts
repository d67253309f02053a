import 'server-only';
import { z } from 'zod';
import type { ReadContext } from '@/lib/command/context';
import { isoTime } from '@/lib/contract';
import { iso } from '@/lib/time';
import { SESSION_STATES, type SessionState, sessionStats } from './schema';
import { staleEntriesOf, survey } from './survey';
import type { VerificationKey } from './tokens/keys';
import { readVerifications } from './tokens/view';

/** A finished count. */
export const countSchema = sessionStats
  .omit({ counting: true })
  .extend({ sessions: z.number(), countedAt: isoTime });
export type Count = z.output<typeof countSchema>;

class Tally {
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
  types: Tally,
): Promise<void> => {
  const hashes = keys.filter(({ type }) => type !== null);
  for (const { type } of hashes) types.add(type!);
  const named = await readVerifications(
    ctx,
    keys.filter(({ type }) => type === null),
  );
  for (const token of named) if (token) types.add(token.type ?? '');
};

/** Counts everything in one walk: exact while nothing changes. Users are those with a session key of any state. */
export const countSessions = async (ctx: ReadContext, signal?: AbortSignal): Promise<Count> => {
  const byState = Object.fromEntries(SESSION_STATES.map((state) => [state, 0])) as Record<
    SessionState,
    number
  >;
  const users = new Set<string>();
  const [oauth, types] = [new Tally(), new Tally()];
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
