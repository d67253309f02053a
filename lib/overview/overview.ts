import 'server-only';
import { firingAlerts } from '@/lib/alerts/attention';
import { countChangesToDecide } from '@/lib/approval-requests/changes';
import type { ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { countToDecide } from '@/lib/flags/requests';
import { readSetSizes } from '@/lib/guard/set-sizes';
import { ratesOf } from '@/lib/history/bucket';
import { readCensus } from '@/lib/history/census';
import { type LiveRow, readLive } from '@/lib/history/points';
import { type LimitedProjects, limitedProjects } from '@/lib/rate-limits/limited';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { withoutPermission } from '@/lib/redis/failure';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { countOnline } from '@/lib/role-keys/count-online';
import { readSessionCount } from '@/lib/sessions/stats';
import { isoOrNull, MINUTE, SECOND } from '@/lib/time';
import { findAttention } from './attention';
import { withPutOff } from './put-off';
import type { Overview } from './schema';

const WINDOW_MS = MINUTE;
/** An older sample is not shown as a current figure. */
const MAX_SAMPLE_AGE_MS = 10 * SECOND;

/** Why INFO is refused although the server answers; null where it is not refused. */
const whyNotPermitted = (rows: readonly LiveRow[], now: number): string | null => {
  const last = rows[rows.length - 1]?.sample;
  return last && 'gap' in last && last.notPermitted && now - last.at <= MAX_SAMPLE_AGE_MS ? last.gap : null;
};

type Sample = Extract<LiveRow['sample'], { bucket: unknown }>;

/** Figures of the last 60 s; nulls without a recent sample. */
const liveFigures = (rows: readonly LiveRow[], now: number) => {
  const samples = rows.flatMap(({ sample }) => ('bucket' in sample ? [sample as Sample] : []));
  const last = samples.at(-1);
  const current = last && now - last.bucket.at <= MAX_SAMPLE_AGE_MS ? last : null;
  return {
    sampledAt: isoOrNull(last?.bucket.at),
    ...ratesOf(current ? samples.map(({ bucket }) => bucket) : []),
    usedMemoryBytes: current?.bucket.usedMemoryBytes ?? null,
    maxMemoryBytes: current?.figures.maxMemoryBytes || null,
    keys: current?.figures.keys ?? null,
    keysWithTtl: current?.figures.keysWithTtl ?? null,
    connectedClients: current?.bucket.connectedClients ?? null,
    evictedKeys: current?.figures.evictedKeys ?? null,
  };
};

const NO_SESSIONS = { sessions: null, countedAt: null };
const NO_LIMITED: LimitedProjects = { projects: null, countedAt: null };
const NO_ALERTS = { count: null, rows: [] };

const SETS = ['block-list', 'ban-list'] as const;

/** Two hundred open overviews read the application's sets as often as one. */
const SHARED_MS = 2 * SECOND;

interface Sizes {
  blockedProjects: number | null;
  blacklistedIps: number | null;
  onlineUsers: number | null;
}

const sizes = sharedAnswer<Sizes>('overview sizes', SHARED_MS);
const sessionCounts = sharedAnswer<Awaited<ReturnType<typeof readSessionCount>>>(
  'overview sessions',
  SHARED_MS,
);

const NO_SIZES: Sizes = { blockedProjects: null, blacklistedIps: null, onlineUsers: null };

/** In a cluster, unreachable primaries hide figures read from keys, but no others. */
const unlessInPart =
  ({ topology }: ConnectionHandle) =>
  (error: unknown): Sizes => {
    const answers = topology.primaries().some((node) => node.client('read').state() === 'ready');
    if (error instanceof Problem && topology.kind === 'cluster' && answers) return NO_SIZES;
    throw error;
  };

const readSizes = async ({ reader, catalog }: ReadContext): Promise<Sizes> => {
  const [blockedProjects = null, blacklistedIps = null] = await readSetSizes(reader, catalog, SETS);
  // A key that our user may not read hides no other figure.
  const onlineUsers = await countOnline(reader, catalog).catch(withoutPermission(null));
  return { blockedProjects, blacklistedIps, onlineUsers };
};

/**
 * overview.get. Each figure comes from the function used by its own page (README.md). Without the store the figures of
 * Redis are still answered; without Redis it is a 503, except for a part of a cluster.
 */
export const getOverview = async (ctx: ReadContext): Promise<Overview> => {
  const now = ctx.now();
  const { id } = ctx.connection.config;
  const { blockedProjects, blacklistedIps, onlineUsers } = await sizes
    .of(ctx.connection, () => readSizes(ctx))
    .catch(unlessInPart(ctx.connection));
  const rows = await readLive(ctx.store, id, now - WINDOW_MS).catch(() => null);
  const limited = await limitedProjects(ctx.connection, ctx.catalog).catch(() => NO_LIMITED);
  const census = await readCensus(ctx.store, id).catch(() => null);
  const flagRequests = await countToDecide(ctx).catch(() => null);
  const changes = await countChangesToDecide(ctx).catch(() => null);
  const alerts = await firingAlerts(ctx).catch(() => NO_ALERTS);
  const hasSessions = rows !== null && ctx.catalog.roles.has('session');
  const sessions = hasSessions
    ? await sessionCounts.of(ctx.connection, () => readSessionCount(ctx)).catch(() => NO_SESSIONS)
    : NO_SESSIONS;
  return {
    ...liveFigures(rows ?? [], now),
    onlineUsers,
    sessions: sessions.sessions,
    sessionsCountedAt: sessions.countedAt,
    blockedProjects,
    blacklistedIps,
    limitedProjects: limited.projects,
    limitedProjectsCountedAt: isoOrNull(limited.countedAt),
    flagRequests,
    approvals: flagRequests === null || changes === null ? null : flagRequests + changes,
    firingAlerts: alerts.count,
    attention: await withPutOff(
      ctx.store,
      id,
      await findAttention(ctx, {
        alerts: alerts.rows,
        census,
        limitedProjects: limited.projects,
        flagRequests,
        notPermitted: whyNotPermitted(rows ?? [], now),
        isStoreReachable: rows !== null,
      }),
      now,
    ),
  };
};
