import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { notFound } from '@/lib/errors';
import { readCensus } from '@/lib/history/census';
import { type FamilyTtls, REMAINING, readFamilyTtls } from '@/lib/history/family-ttls';
import type { Family } from '@/lib/keyspace/family';
import { HOUR, iso, isoOrNull, SECOND } from '@/lib/time';
import type { familyContracts } from './schema';

type FamilyTtl = Result<typeof familyContracts.ttl>;

const tenth = (value: number): number => Math.round(value * 10) / 10;

const remainingOf = ({ remaining }: FamilyTtls): FamilyTtl['remaining'] =>
  remaining.map((keys, i) => ({
    fromSeconds: i === 0 ? 0 : REMAINING[i - 1]! / SECOND,
    toSeconds: i < REMAINING.length ? REMAINING[i]! / SECOND : null,
    keys,
  }));

/** Average age of the keys by the documented TTL; null without one, or when keys have a longer one. */
const averageAge = ({ ttl }: Family, { withTtl, sumTtlMs }: FamilyTtls): number | null => {
  if (typeof ttl === 'string' || !('seconds' in ttl) || withTtl === 0) return null;
  const age = ttl.seconds - sumTtlMs / withTtl / SECOND;
  return age < 0 ? null : tenth(age);
};

/** The maximum number of keys that expire within one bin, in the hour after the census. */
export const togetherOf = ({ expiries, withTtl, countedAt }: FamilyTtls): FamilyTtl['together'] => {
  const soon = expiries.filter(([start]) => start < countedAt + HOUR);
  const [most] = soon.sort((a, b) => b[2] - a[2]);
  if (!most || most[2] < 2) return null;
  return { at: iso(most[0]), seconds: most[1] / SECOND, keys: most[2], share: most[2] / withTtl };
};

/** families.ttl: from the last census, without reading Redis. */
export const readFamilyTtl = async (
  ctx: ReadContext,
  input: Input<typeof familyContracts.ttl>,
): Promise<FamilyTtl> => {
  const family = ctx.catalog.get(input.family);
  if (!family || family.app === 'console') throw notFound('This family');
  const { id } = ctx.connection.config;
  const ttls = await readFamilyTtls(ctx.store, id, family.id);
  const census = await readCensus(ctx.store, id);
  const count = census ? (census.families[family.id] ?? { keys: 0, memoryBytes: 0, withoutTtl: 0 }) : null;
  const memoryBytes = count?.memoryBytes ?? null;
  const counted = ttls !== null && ttls.keys > 0;
  return {
    family: family.id,
    title: family.title,
    countedAt: ttls ? iso(ttls.countedAt) : null,
    keys: ttls?.keys ?? count?.keys ?? null,
    withTtl: ttls?.withTtl ?? null,
    withoutTtl: ttls ? ttls.keys - ttls.withTtl : (count?.withoutTtl ?? null),
    memoryBytes,
    averageKeyBytes: memoryBytes !== null && count!.keys > 0 ? Math.round(memoryBytes / count!.keys) : null,
    averageTtlSeconds: counted && ttls.withTtl > 0 ? tenth(ttls.sumTtlMs / ttls.withTtl / SECOND) : null,
    averageAgeSeconds: ttls ? averageAge(family, ttls) : null,
    remaining: ttls ? remainingOf(ttls) : [],
    expiries: ttls
      ? ttls.expiries.flatMap(([start, width, keys]) => {
          // A TTL can end after the last year a date can have.
          const at = isoOrNull(start);
          return at === null ? [] : [{ at, seconds: width / SECOND, keys }];
        })
      : [],
    together: ttls ? togetherOf(ttls) : null,
  };
};
