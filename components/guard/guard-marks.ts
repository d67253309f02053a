import type { AuditEntry } from '@/lib/audit/schema';
import type { HistoryEvent } from '@/lib/history/schema';

/** Events of the Redis server; events of caches are not shown here. */
const REDIS_EVENTS = ['restart', 'failover', 'node-added', 'node-removed', 'outage', 'recovered'] as const;
type RedisEvent = (typeof REDIS_EVENTS)[number];

/** Changes by their operation. */
const CHANGES = {
  'guard.blacklist.add': 'banned',
  'guard.blacklist.remove': 'lifted',
  'guard.projects.block': 'blocked',
  'guard.projects.unblock': 'unblocked',
  'guard.rateLimits.reset': 'reset',
  'guard.rateLimits.repair': 'repaired',
} as const;
export type Change = (typeof CHANGES)[keyof typeof CHANGES];

/** The changes that affect each figure. */
const OF_SIZE = {
  blacklistedIps: ['banned', 'lifted'],
  blockedProjects: ['blocked', 'unblocked'],
  limitedProjects: ['reset', 'repaired'],
} as const satisfies Record<string, readonly Change[]>;

interface MarkOf<K> {
  /** Epoch ms. */
  at: number;
  kind: K;
}

export const redisMarks = (events: readonly HistoryEvent[]): MarkOf<RedisEvent>[] =>
  events.flatMap(({ at, kind }) => {
    const known = REDIS_EVENTS.find((each) => each === kind);
    return known ? [{ at: Date.parse(at), kind: known }] : [];
  });

/** The changes that affect a figure. */
export const changeMarks = (
  entries: readonly Pick<AuditEntry, 'at' | 'action'>[],
  size: keyof typeof OF_SIZE,
): MarkOf<Change>[] =>
  entries.flatMap(({ at, action }) => {
    const kind = Object.hasOwn(CHANGES, action) ? CHANGES[action as keyof typeof CHANGES] : null;
    const moves: readonly Change[] = OF_SIZE[size];
    return kind && moves.includes(kind) ? [{ at: Date.parse(at), kind }] : [];
  });
