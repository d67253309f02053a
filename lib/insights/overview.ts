import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { countToDecide } from '@/lib/flags/requests';
import { readCensus } from '@/lib/history/census';
import { type LiveRow, readLive } from '@/lib/history/live';
import { readableRate } from '@/lib/hit-rate';
import type { ReadCommand } from '@/lib/redis/commands';
import { readSessionCount } from '@/lib/sessions/stats';
import { iso, MINUTE, SECOND } from '@/lib/time';
import { wantsAttention } from './attention';
import type { Overview } from './schema';

const WINDOW_MS = MINUTE;
/** A sample older than this says nothing about now. */
const FRESH_MS = 10 * SECOND;

/** Why the server's own figures are not known although it answers; null where they are. */
const whyNoFigures = (rows: readonly LiveRow[], now: number): string | null => {
  const last = rows[rows.length - 1]?.sample;
  return last && 'gap' in last && last.notPermitted && now - last.at <= FRESH_MS ? last.gap : null;
};

type Sample = Extract<LiveRow['sample'], { bucket: unknown }>;

/** The figures of the last 60 s; nulls where nothing was sampled. */
const liveFigures = (rows: readonly LiveRow[], now: number) => {
  const samples = rows.flatMap(({ sample }) => ('bucket' in sample ? [sample as Sample] : []));
  const last = samples[samples.length - 1];
  if (!last || now - last.bucket.at > FRESH_MS)
    return {
      sampledAt: last ? iso(last.bucket.at) : null,
      hitRate: null,
      opsPerSecond: null,
      usedMemoryBytes: null,
      maxMemoryBytes: null,
      keys: null,
      keysWithTtl: null,
      connectedClients: null,
      evictedKeys: null,
    };
  const sum = (pick: (sample: Sample) => number): number => samples.reduce((total, s) => total + pick(s), 0);
  const observedMs = sum((s) => s.bucket.observedMs);
  return {
    sampledAt: iso(last.bucket.at),
    hitRate: readableRate(
      sum((s) => s.bucket.hits),
      sum((s) => s.bucket.misses),
    ),
    opsPerSecond: observedMs > 0 ? Math.round((sum((s) => s.bucket.commands) * SECOND) / observedMs) : null,
    usedMemoryBytes: last.bucket.usedMemoryBytes,
    maxMemoryBytes: last.figures.maxMemoryBytes || null,
    keys: last.figures.keys,
    keysWithTtl: last.figures.keysWithTtl,
    connectedClients: last.bucket.connectedClients,
    evictedKeys: last.figures.evictedKeys,
  };
};

/** Members of the sets that one look answers for; null where no app of the connection has such a set. */
const setSizes = async (ctx: ReadContext) => {
  const families = ['qianxun.onlines', 'hawk.disabled-projects', 'hawk.blacklist-ips'].map((id) =>
    ctx.catalog.get(id),
  );
  const commands = families.flatMap((family) =>
    family ? [['SCARD', family.key()] as const satisfies ReadCommand] : [],
  );
  const replies = [...(await ctx.reader.readMany(commands))];
  return families.map((family) => {
    if (!family) return null;
    const reply = replies.shift();
    return typeof reply === 'number' ? reply : null;
  });
};

const countSessions = async (ctx: ReadContext): Promise<number | null> =>
  ctx.catalog.get('discours.session') ? readSessionCount(ctx).catch(() => null) : null;

/** overview.get. With the store gone what Redis itself tells is still there; with Redis gone it is a 503. */
export const getOverview = async (ctx: ReadContext): Promise<Overview> => {
  const now = ctx.now();
  const { id } = ctx.connection.config;
  const [onlineUsers, blockedProjects, blacklistedIps] = await setSizes(ctx);
  const rows = await readLive(ctx.store, id, now - WINDOW_MS).catch(() => null);
  const census = await readCensus(ctx.store, id).catch(() => null);
  const flagRequests = await countToDecide(ctx).catch(() => null);
  return {
    ...liveFigures(rows ?? [], now),
    onlineUsers: onlineUsers ?? null,
    sessions: rows && (await countSessions(ctx)),
    blockedProjects: blockedProjects ?? null,
    blacklistedIps: blacklistedIps ?? null,
    limitedProjects: census?.limitedProjects ?? null,
    flagRequests,
    attention: await wantsAttention(ctx, {
      ...{ census, flagRequests, notPermitted: whyNoFigures(rows ?? [], now), storeReachable: rows !== null },
    }),
  };
};
