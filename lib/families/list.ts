import 'server-only';
import { storedTypes, typeDrift } from '@/lib/catalog/drift';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import type { FamilyRow, familyContracts } from '@/lib/families/schema';
import { type Census, readCensus } from '@/lib/history/census';
import { lastHourHitRates } from '@/lib/hit-rates/reads';
import type { Family, TtlPolicy } from '@/lib/keyspace/family';
import { ttlInWords } from '@/lib/keyspace/ttl-in-words';
import { type PageInput, pageOfRows } from '@/lib/list-page';
import { iso, isoOrNull } from '@/lib/time';

type Figures = Awaited<ReturnType<typeof lastHourHitRates>> extends Map<string, infer F> ? F : never;

const longestTtl = (ttl: TtlPolicy): number | null => {
  if (typeof ttl !== 'object') return null;
  return 'seconds' in ttl ? ttl.seconds : ttl.maxSeconds;
};

const toRow = (family: Family, census: Census | null, figures: Figures | null): FamilyRow => {
  const none = { keys: 0, memoryBytes: 0, withoutTtl: 0, types: {} };
  const count = census ? (census.families[family.id] ?? none) : null;
  const types = count?.types ? storedTypes(count.types) : null;
  return {
    family: family.id,
    app: family.app,
    title: family.title,
    purpose: family.purpose,
    pattern: family.pattern,
    type: family.type,
    types,
    drift: typeDrift(family, types ?? {}),
    params: [...family.paramNames],
    secretParams: [...(family.sensitive ?? [])],
    grammar: Object.fromEntries(family.paramNames.map((name) => [name, family.params[name]!.description])),
    pairs: family.paramNames.find((name) => family.params[name]?.shape.kind === 'pairs') ?? null,
    ttl: ttlInWords(family.ttl),
    ttlSeconds: longestTtl(family.ttl),
    expires: typeof family.ttl === 'object',
    cache: family.cache ?? false,
    guarded: family.guarded ?? false,
    keys: count?.keys ?? null,
    memoryBytes: count?.memoryBytes ?? null,
    withoutTtl: count?.withoutTtl ?? null,
    hitRate: figures?.hitRate ?? null,
    hits: figures?.hits ?? null,
    misses: figures?.misses ?? null,
    source: figures?.source ?? 'none',
    coverage: figures?.coverage ?? null,
    error: figures?.error ?? null,
    windowSeconds: figures?.windowSeconds ?? null,
    missesPerSecond: figures?.missesPerSecond ?? null,
    originLoadPerSecond: figures?.originLoadPerSecond ?? null,
    sampledAt: isoOrNull(figures?.sampledAt),
    countedAt: isoOrNull(census?.finishedAt),
  };
};

/** families.list: the connection's own families (not the console's), those with most keys first. */
export const listFamilies = async (
  ctx: ReadContext,
  input: PageInput = {},
): Promise<Result<typeof familyContracts.list>> => {
  const census = await readCensus(ctx.store, ctx.connection.config.id).catch(() => null);
  const { id } = ctx.connection.config;
  const figures = await lastHourHitRates(ctx.store, id, ctx.catalog, ctx.now()).catch(() => null);
  const rows = ctx.catalog.families
    .filter((family) => family.app !== 'console' && family.type !== 'channel')
    .map((family) => toRow(family, census, figures?.get(family.id) ?? null));
  return {
    ...pageOfRows(rows, input, ['number', 'string'], ({ family, keys }) => [-(keys ?? 0), family]),
    unclassified: census ? census.unclassified + census.malformed : null,
    malformed: census?.malformed ?? null,
    countedAt: census ? iso(census.finishedAt) : null,
    overlaps: ctx.catalog.overlaps.map((overlap) => ({
      families: [...overlap.families],
      example: overlap.example,
      winner: overlap.winner,
    })),
  };
};
