import 'server-only';
import { recordRefusal } from '@/lib/audit/record';
import { displayKey, holdsSecret, keyId } from '@/lib/catalog/display';
import type { Registry } from '@/lib/catalog/registry';
import type { ReadContext } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import { notFound, Problem } from '@/lib/errors';
import { may } from '@/lib/permissions';
import type { Key } from '@/lib/redis/commands';
import { readAftermath } from './aftermath';
import { COUNT_WITHIN_MS, countTarget, type TargetCount } from './count';
import { withFacts } from './entity';
import { originLoad } from './origin-load';
import type { Target } from './reach';
import type { Aftermath, cacheContracts, Preview } from './schema';
import { namesSensitive, resolveTarget } from './target';
import { undoOf } from './undo-limits';
import { SENSITIVE } from './walk';

const SHOWN = 10;

/** A key whose name holds a secret is shown masked, and its id, which would be the name itself, not at all. */
const showKey = (catalog: Registry, key: Key): Preview['sample'][number] => ({
  key: displayKey(key, catalog),
  keyId: holdsSecret(key, catalog) ? null : keyId(key),
  family: catalog.classify(key).family?.id ?? null,
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

const requireSensitive = async (ctx: ReadContext): Promise<void> => {
  if (ctx.actor.role && may(ctx.actor.role, SENSITIVE)) return;
  await recordRefusal({
    actor: ctx.actor,
    action: 'caches.preview',
    connection: ctx.connection.config.id,
    requestId: ctx.requestId,
    detail: `refused: needs ${SENSITIVE}`,
  });
  throw new Problem('forbidden', `This reaches sessions, tokens, variables or locks: it needs ${SENSITIVE}.`);
};

/** caches.preview: what an invalidation would delete, before anything is. */
export const previewInvalidation = async (
  ctx: ReadContext,
  input: Input<typeof cacheContracts.preview>,
): Promise<Preview> => {
  const target = resolveTarget(ctx.catalog, await withFacts(ctx, input));
  const named = namesSensitive(ctx.catalog, target);
  if (named) await requireSensitive(ctx);
  const count = await countTarget(ctx, target, { withinMs: COUNT_WITHIN_MS });
  const needsSensitive = named || count.sensitive > 0;
  // Of a pattern only what it met can tell.
  if (needsSensitive && !named) await requireSensitive(ctx);
  return {
    keys: count.keys,
    memoryBytes: count.memoryBytes,
    exact: count.exact,
    error: count.error,
    byFamily: byFamily(target, count),
    sample: count.sample.slice(0, SHOWN).map((key) => showKey(ctx.catalog, key)),
    ...(await originLoad(ctx, count.byFamily)),
    undo: undoOf(count),
    branches:
      target.kind === 'entity'
        ? target.branches.map(({ id, title, included, wider, known }) => ({
            ...{ id, title, included, wider, known },
            keys: count.byBranch.get(id) ?? 0,
          }))
        : [],
    needsSensitive,
  };
};

/** caches.aftermath: how misses went after an invalidation. */
export const aftermathOf = async (
  ctx: ReadContext,
  { auditId }: Input<typeof cacheContracts.aftermath>,
): Promise<Aftermath> => {
  const found = await readAftermath(ctx.store, ctx.connection.config.id, auditId, ctx.now());
  if (!found) throw notFound('An invalidation that deleted something and has this audit id');
  return found;
};
