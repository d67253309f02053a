import 'server-only';
import { recordRefusal } from '@/lib/audit/record';
import { displayKey, holdsSecret, keyId } from '@/lib/catalog/display';
import type { Registry } from '@/lib/catalog/registry';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { may } from '@/lib/permissions';
import type { Key } from '@/lib/redis/commands';
import { countTarget, type TargetCount } from './count';
import type { cacheContracts } from './schema';
import { isSensitive, isSensitiveKey, resolveTarget, type Target } from './target';

type Preview = Result<typeof cacheContracts.preview>;

const COUNT_WITHIN_MS = 2000;
const SHOWN = 10;

/** A key whose name holds a secret is shown masked, and its id, which would be the name itself, not at all. */
const showKey = (catalog: Registry, key: Key): Preview['sample'][number] => ({
  key: displayKey(key, catalog),
  keyId: holdsSecret(key, catalog) ? null : keyId(key),
  family: catalog.classify(key).family?.id ?? null,
});

const OTHER = 'unclassified';

const byFamily = (catalog: Registry, target: Target, count: TargetCount): Preview['byFamily'] => {
  if (target.kind === 'family') {
    const { id, title, guarded } = target.family;
    return [{ family: id, title, keys: count.keys, sensitive: guarded ?? false }];
  }
  const rows = new Map<string, Preview['byFamily'][number]>();
  for (const key of count.existing) {
    const { family } = catalog.classify(key);
    const id = family?.id ?? OTHER;
    const row = rows.get(id) ?? {
      family: id,
      title: family?.title ?? OTHER,
      keys: 0,
      sensitive: isSensitiveKey(catalog, key),
    };
    row.keys += 1;
    rows.set(id, row);
  }
  return [...rows.values()];
};

const SENSITIVE = 'caches:invalidate-sensitive';

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
  const target = resolveTarget(ctx.catalog, input);
  const needsSensitive = isSensitive(ctx.catalog, target);
  if (needsSensitive) await requireSensitive(ctx);
  const count = await countTarget(ctx, target, COUNT_WITHIN_MS);
  return {
    keys: count.keys,
    memoryBytes: count.memoryBytes,
    exact: count.exact,
    error: count.error,
    byFamily: byFamily(ctx.catalog, target, count),
    sample: count.sample.slice(0, SHOWN).map((key) => showKey(ctx.catalog, key)),
    hitRate: null,
    expectedMissesPerSecond: null,
    undo: { possible: false, keys: 0, bytes: 0 },
    branches: [],
    needsSensitive,
  };
};
