import 'server-only';
import { recordRefusal } from '@/lib/audit/record';
import type { ReadContext } from '@/lib/command/context';
import { type IdentifiedKey, identifyKeys } from '@/lib/command/identify-keys';
import type { Input } from '@/lib/contract';
import { readCensus } from '@/lib/history/census';
import { readableRate } from '@/lib/hit-rates/rate';
import { lastHourHitRates } from '@/lib/hit-rates/reads';
import { displayKey, holdsSecret, keyId } from '@/lib/keyspace/display';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import type { FamilyCount, TargetCount } from './count';
import { mayTouchSensitive, refuseSensitive, SENSITIVE } from './guarded';
import { requestOf, undoOf } from './request';
import type { familyContracts, Preview } from './schema';
import type { Target } from './target';

const SHOWN = 10;

/** A key whose name contains a secret is shown masked and without its id, which encodes the name. */
const showKey = (catalog: Registry, key: Key, { family }: IdentifiedKey): Preview['sample'][number] => ({
  key: displayKey(key, catalog),
  keyId: holdsSecret(key, catalog) ? null : keyId(key),
  family: family?.id ?? null,
});

const OTHER = 'unclassified';

const byFamily = (target: Target, count: TargetCount): Preview['byFamily'] => {
  const rows = count.byFamily.map(({ family, title, ...row }) => ({
    ...row,
    family: family ?? OTHER,
    title: family ? title : OTHER,
  }));
  if (rows.length > 0 || !target.family) return rows;
  const { id, title, guarded, cache } = target.family;
  return [{ family: id, title, keys: 0, sensitive: guarded ?? false, cache: cache ?? false }];
};

const refuse = async (ctx: ReadContext): Promise<never> => {
  await recordRefusal({
    actor: ctx.actor,
    action: 'families.preview',
    connection: ctx.connection.config.id,
    requestId: ctx.requestId,
    detail: `refused: needs ${SENSITIVE}`,
  });
  throw refuseSensitive('reaches');
};

interface OriginLoad {
  hitRate: number | null;
  /** Hits per second of these keys, which would become misses. */
  expectedMissesPerSecond: number | null;
}

/**
 * The load on the origin if these keys were deleted: the hits of each family in the last hour, times the share of its
 * keys to delete. Families without figures are omitted; null when none has any.
 */
const originLoad = async (ctx: ReadContext, reached: readonly FamilyCount[]): Promise<OriginLoad> => {
  const { id } = ctx.connection.config;
  const [rates, census] = await Promise.all([
    lastHourHitRates(ctx.store, id, ctx.catalog, ctx.now()),
    readCensus(ctx.store, id),
  ]);
  const known = reached.flatMap(({ family, keys }) => {
    const figures = family === null ? undefined : rates.get(family);
    if (!figures?.windowSeconds) return [];
    const inAll = Math.max(keys, census?.families[family!]?.keys ?? keys);
    const share = inAll > 0 ? keys / inAll : 0;
    return [{ ...figures, load: (figures.hits / figures.windowSeconds) * share }];
  });
  if (known.length === 0) return { hitRate: null, expectedMissesPerSecond: null };
  const sum = (of: (row: (typeof known)[number]) => number) => known.reduce((all, row) => all + of(row), 0);
  return {
    hitRate: readableRate(
      sum(({ hits }) => hits),
      sum(({ misses }) => misses),
    ),
    expectedMissesPerSecond: Math.round(sum(({ load }) => load) * 100) / 100,
  };
};

/** families.preview: what an invalidation would delete. */
export const previewInvalidation = async (
  ctx: ReadContext,
  input: Input<typeof familyContracts.preview>,
): Promise<Preview> => {
  const request = await requestOf(ctx, input);
  const needsSensitive = await request.isSensitive();
  if (needsSensitive && !mayTouchSensitive(ctx)) await refuse(ctx);
  const { target } = request;
  const count = await request.count();
  const sample = count.sample.slice(0, SHOWN);
  const identified = await identifyKeys(ctx.reader, ctx.catalog, sample);
  return {
    keys: count.keys,
    memoryBytes: count.memoryBytes,
    exact: count.exact,
    error: count.error,
    byFamily: byFamily(target, count),
    sample: sample.map((key, i) => showKey(ctx.catalog, key, identified[i]!)),
    ...(await originLoad(ctx, count.byFamily)),
    undo: undoOf(count),
    branches:
      target.kind === 'entity'
        ? target.branches.map(({ id, title, included, wider, known }) => ({
            id,
            title,
            included,
            wider,
            known,
            keys: count.byBranch.get(id) ?? 0,
          }))
        : [],
    needsSensitive,
  };
};
