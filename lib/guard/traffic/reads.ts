import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import { notFound } from '@/lib/errors';
import { displayName, keyId } from '@/lib/keyspace/display';
import { badCursor, cursorAt, placeAt } from '@/lib/list-page';
import type { Key } from '@/lib/redis/commands';
import { withoutStore } from '@/lib/redis/failure';
import { iso, isoOrNull, MINUTE, SECOND } from '@/lib/time';
import { countDigits } from '@/lib/values/count-digits';
import { exactly, sumOf, type Whole, wholeOf } from '@/lib/values/whole';
import { protector } from '../address';
import { secondsToEffect } from '../reads';
import { type Count, isAtLeast } from './count';
import { type Caller, readField } from './field';
import { heaviestFields, mapProblem, type Pass } from './pass';
import { SPARK_PERIODS, type TrafficIp, type trafficContracts } from './schema';
import { sharedPass, type TimedPass } from './shared-pass';
import { readFirstSeen, readPeriods, readWatch } from './storage';
import { crossesIn, nextReset, type Period, rateOf, type Watch } from './watch';

const NEW_MS = 10 * MINUTE;
/** An older sample is not used for rates of now. */
const MAX_SAMPLE_AGE_MS = 30 * SECOND;

type TopInput = Input<typeof trafficContracts.ipsTop>;
type PageOf = Omit<TopInput, 'map'>;
export type IpMap = TopInput['map'];

const ROLES = { all: 'request-counts', currentPeriod: 'period-request-counts' } as const;

/** 404 where the connection's catalog has no such counts. */
export const mapKey = (ctx: ReadContext, map: IpMap): Key => {
  const family = ctx.catalog.role(ROLES[map]);
  if (!family) throw notFound(`A count of requests on connection "${ctx.connection.config.id}"`);
  return family.key();
};

/** What the console's samples add; empty without the store, which the map itself does not need. */
interface Watched {
  watch: Watch | null;
  periods: Period[];
  /** Those of the map, then those that are silent in this period. */
  counts: readonly Count[];
  firstSeen: (number | null)[];
}

/** Ids of callers of the period that ended last, as far as it was sampled: the map forgets them at once. */
const callersBefore = (watch: Watch | null, periods: readonly Period[], since: number): string[] => {
  const [period, sample] = [periods.at(-1), watch?.samples.at(-1)];
  const recent = [
    ...(period && period.endedAt > since ? period.top : []),
    ...(sample && sample.at > since ? sample.top : []),
  ];
  return [...new Set(recent.map(([caller]) => caller))];
};

const readWatched = async (ctx: ReadContext, top: readonly Count[], room: number): Promise<Watched> => {
  const { id, hawk } = ctx.connection.config;
  const now = ctx.now();
  const since = now - 2 * SPARK_PERIODS * hawk.blacklistPeriodMs;
  try {
    const [watch, periods] = await Promise.all([
      readWatch(ctx.store, id),
      readPeriods(ctx.store, id, { since, most: SPARK_PERIODS }),
    ]);
    const ids = top.map(({ field }) => keyId(field));
    const silent = callersBefore(watch, periods, now - hawk.blacklistPeriodMs)
      .filter((caller) => !ids.includes(caller))
      .slice(0, room);
    const firstSeen = await readFirstSeen(ctx.store, id, [...ids, ...silent]);
    const added = silent.map((caller) => ({ field: Buffer.from(caller, 'base64url'), digits: '0' }));
    return { watch, periods, firstSeen, counts: [...top, ...added] };
  } catch (error) {
    return withoutStore<Watched>({ watch: null, periods: [], firstSeen: [], counts: top })(error);
  }
};

/** For each field, in order, whether exactly this text is banned; null where the set is missing or unreadable. */
export const readBanned = async (
  ctx: ReadContext,
  fields: readonly Buffer[],
): Promise<(boolean | null)[]> => {
  const bans = ctx.catalog.role('ban-list');
  if (fields.length === 0 || !bans) return fields.map(() => null);
  const [flags] = await ctx.reader.readMany([['SMISMEMBER', bans.key(), ...fields]]);
  return fields.map((_, i) => (flags instanceof Error ? null : flags[i] === 1));
};

/** Requests of a field in the current period at `at`; for the map of all requests, from the last sample. */
const currentCounts = (map: IpMap, pass: TimedPass, { watch }: Watched) => {
  if (map === 'currentPeriod') {
    const at = pass.at;
    return (count: Count) => ({ requests: Number(count.digits), at });
  }
  const sample = watch?.samples.at(-1);
  const counts = new Map(sample?.top ?? []);
  return ({ field }: Count) => {
    const requests = counts.get(keyId(field));
    return sample && requests !== undefined && pass.at - sample.at < MAX_SAMPLE_AGE_MS
      ? { requests, at: sample.at }
      : null;
  };
};

const sparklines = (periods: readonly Period[]) => {
  const counts = periods.map(({ top, fields }) => ({ top: new Map(top), whole: top.length >= fields }));
  return (id: string) => counts.map(({ top, whole }) => top.get(id) ?? (whole ? 0 : null));
};

interface Chain {
  fields: number;
  requests: Whole;
}

const groupChains = (items: readonly (Caller & Pick<TrafficIp, 'requests' | 'requestsExact'>)[]) => {
  const groups = new Map<string, Chain>();
  for (const { kind, firstAddress, requests, requestsExact } of items) {
    if (kind !== 'chain' || firstAddress === null) continue;
    const group = groups.get(firstAddress) ?? { fields: 0, requests: 0 };
    const own = requestsExact === null ? requests : wholeOf(requestsExact);
    groups.set(firstAddress, { fields: group.fields + 1, requests: sumOf(group.requests, own) });
  }
  return [...groups]
    .sort(([, a], [, b]) => Number(b.requests > a.requests) - Number(b.requests < a.requests))
    .map(([firstAddress, { fields, requests }]) => {
      const { value, exact } = exactly(requests);
      return { firstAddress, fields, requests: value, requestsExact: exact };
    });
};

/** Fields by powers of ten of their count, from the lightest to the heaviest. */
const distributionOf = ({ byDigits }: Pass) => {
  const first = byDigits.findIndex((ips) => ips > 0);
  const last = byDigits.findLastIndex((ips) => ips > 0);
  return byDigits.slice(Math.max(first, 0), last + 1).map((ips, i) => {
    const digits = first + i;
    return { from: digits === 0 ? 0 : 10 ** digits, to: 10 ** (digits + 1), ips };
  });
};

/** The count after which a page begins. Throws 400 for a text that is not a cursor. */
const countAt = (cursor: string): Count => {
  const [digits, id] = placeAt(cursor, ['string', 'string']) as [string, string];
  if (countDigits(Buffer.from(digits)) === null) throw badCursor();
  return { digits, field: Buffer.from(id, 'base64url') };
};

/** The first page comes from a pass that all readers share, each further page from its own. */
const readPass = async (ctx: ReadContext, key: Key, { limit, cursor }: PageOf): Promise<TimedPass> => {
  if (cursor === undefined) return sharedPass(ctx.connection, key, limit, ctx.now);
  const request = { most: limit + 1, after: countAt(cursor) };
  return { ...(await heaviestFields(ctx.connection, key, request)), at: ctx.now() };
};

/** guard.ips.top. */
export const topIps: ReadOf<typeof trafficContracts.ipsTop> = async (ctx, { map, ...page }) => {
  const { hawk } = ctx.connection.config;
  const key = mapKey(ctx, map);
  const pass = await readPass(ctx, key, page);
  const top = pass.top.slice(0, page.limit);
  const last = top[top.length - 1];
  const isComplete = map === 'currentPeriod' && page.cursor === undefined && pass.top.length === top.length;
  const watched = await readWatched(ctx, top, isComplete ? page.limit - top.length : 0);
  const { watch, counts } = watched;
  const banned = await readBanned(
    ctx,
    counts.map(({ field }) => field),
  );
  const endsAt = watch ? nextReset(watch, hawk.blacklistPeriodMs, pass.at) : null;
  const isProtected = protector(hawk.protectedIps);
  const current = currentCounts(map, pass, watched);
  const spark = sparklines(watched.periods);
  const all = Number(pass.total);
  const items = counts.map((count, i): TrafficIp => {
    const memberId = keyId(count.field);
    const { value: requests, exact } = exactly(wholeOf(count.digits));
    const caller = readField(count.field, isProtected);
    const now = current(count);
    const rate = watch && now ? rateOf(watch, memberId, now) : null;
    const firstSeen = watched.firstSeen[i] ?? null;
    const crossing = now
      ? crossesIn({ ...now, ratePerSecond: rate }, hawk.threshold, { at: now.at, endsAt })
      : null;
    return {
      memberId,
      ip: displayName(count.field),
      ...caller,
      requests,
      requestsExact: exact,
      share: all > 0 ? requests / all : null,
      overThreshold: isAtLeast(count, hawk.threshold),
      blacklisted: banned[i] ?? null,
      own: caller.kind === 'address' && caller.firstAddress === ctx.address,
      firstSeenAt: isoOrNull(firstSeen),
      new: firstSeen !== null && pass.at - firstSeen < NEW_MS,
      ratePerSecond: rate === null ? null : Math.round(rate * 100) / 100,
      crossesInSeconds: crossing === null ? null : Math.round(crossing * 10) / 10,
      periods: spark(memberId),
    };
  });
  const total = exactly(wholeOf(pass.total));
  return {
    items,
    nextCursor: last && pass.top.length > top.length ? cursorAt([last.digits, keyId(last.field)]) : null,
    chains: groupChains(items.slice(0, top.length)),
    total: total.value,
    totalExact: total.exact,
    ips: pass.fields,
    exact: pass.exact,
    unreadable: pass.unreadable,
    distribution: distributionOf(pass),
    threshold: hawk.threshold,
    periodSeconds: hawk.blacklistPeriodMs / SECOND,
    periodEndsAt: isoOrNull(watch ? nextReset(watch, hawk.blacklistPeriodMs, ctx.now()) : null),
    periodEnds: watched.periods.map(({ endedAt }) => iso(endedAt)),
    watchedSince: isoOrNull(watch?.since),
    inForceWithinSeconds: secondsToEffect(ctx, 'blacklist'),
    sampledAt: iso(pass.at),
    problem: mapProblem(pass, key, ctx.catalog),
  };
};
