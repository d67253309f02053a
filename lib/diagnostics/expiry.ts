import 'server-only';
import { wavesIn } from '@/lib/history/due-together';
import { type FamilyTtls, REMAINING, readAllFamilyTtls } from '@/lib/history/family-ttls';
import { OWN_APP } from '@/lib/keyspace/guarded';
import { numberOf } from '@/lib/redis/info';
import { findingsOf, readSection } from '@/lib/redis/section';
import { DAY, HOUR, iso, MINUTE, SECOND } from '@/lib/time';
import { familyName } from './families';
import type { Source } from './source';

const MAX_WAVES = 20;
/** Within two days the bins of expiries are at most ten minutes wide; later ones are a day wide. */
const AHEAD_MS = 2 * DAY;
const MAX_WIDTH_MS = 10 * MINUTE;
const MAX_STALE = 0.1;

/** Keys that expire between two times, epoch ms; a bin partly in between counts proportionally. */
export const dueBetween = (all: readonly FamilyTtls[], from: number, to: number): number => {
  let due = 0;
  for (const { expiries } of all)
    for (const [start, width, keys] of expiries) {
      const within = Math.min(to, start + width) - Math.max(from, start);
      if (within > 0) due += (keys * within) / width;
    }
  return Math.round(due);
};

const binsOf = (all: readonly FamilyTtls[]) =>
  [0, ...REMAINING].map((from, i) => ({
    from: from / SECOND,
    to: REMAINING[i] === undefined ? null : REMAINING[i] / SECOND,
    keys: all.reduce((sum, { remaining }) => sum + (remaining[i] ?? 0), 0),
  }));

/** When keys expire, according to the last census. */
export const readExpiry = (source: Source) =>
  readSection(async (optional) => {
    const { ctx, now } = source;
    const { catalog, store, connection } = ctx;
    const stored = await readAllFamilyTtls(store, connection.config.id);
    const families = [...stored].filter(([id]) => catalog.get(id)?.app !== OWN_APP);
    if (families.length === 0) return 'notCounted' as const;
    const familyTtls = families.map(([, ttls]) => ttls);
    const withTtl = familyTtls.reduce((sum, ttls) => sum + ttls.withTtl, 0);
    const info = await optional(source.info());
    const shares = info?.nodes.flatMap(({ fields }) => numberOf(fields, 'expired_stale_perc') ?? []) ?? [];
    const stale = shares.length > 0 ? Math.max(...shares) : null;
    const waves = families
      .flatMap(([id, ttls]) => wavesIn(id, ttls, now, now + AHEAD_MS, MAX_WIDTH_MS))
      .sort((a, b) => a.at - b.at || b.keys - a.keys);
    const figures = {
      countedAt: iso(Math.max(...familyTtls.map(({ countedAt }) => countedAt))),
      withTtl,
      withoutTtl: familyTtls.reduce((sum, { keys }) => sum + keys, 0) - withTtl,
      nextMinute: dueBetween(familyTtls, now, now + MINUTE),
      nextHour: dueBetween(familyTtls, now, now + HOUR),
      nextDay: dueBetween(familyTtls, now, now + DAY),
      expiredPerSecond: await source.perSecond('expired'),
      staleShare: stale === null ? null : stale / 100,
      bins: binsOf(familyTtls),
      waves: waves.slice(0, MAX_WAVES).map(({ family, at, widthMs, keys }) => ({
        ...familyName(catalog, family),
        at: iso(at),
        widthSeconds: widthMs / SECOND,
        keys,
      })),
    };
    return {
      figures,
      findings: findingsOf({ waves: waves.length > 0, stale: (figures.staleShare ?? 0) > MAX_STALE }),
    };
  });
