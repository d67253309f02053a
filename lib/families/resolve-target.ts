import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyOfId } from '@/lib/command/key-ids';
import { badField } from '@/lib/errors';
import { displayKey } from '@/lib/keyspace/display';
import { isOwn, OWN_APP, OWN_PREFIX } from '@/lib/keyspace/guarded';
import { MASK, maskSecrets } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import { entityBranches } from './entity';
import { familySearch } from './family-search';
import { isCatchAll, startsWithPrefix } from './pattern';
import type { InvalidationTarget } from './schema';
import type { Branch, Target } from './target';

const singleBranch = (
  kind: Target['kind'],
  label: string,
  part: Pick<Branch, 'keys' | 'search'>,
): Target => ({
  kind,
  label,
  family: null,
  branches: [{ id: kind, title: label, included: true, wider: false, known: true, ...part }],
});

const TOO_LONG = 'The name of this key is too long for a list of ids: change the key on its own page.';

type Context = Pick<ReadContext, 'connection' | 'catalog'>;

const keysTarget = (ctx: Context, keyIds: readonly string[]): Target => {
  const { catalog } = ctx;
  const named = new Map<string, Key>();
  keyIds.forEach((id, index) => {
    if (id.startsWith('h.')) throw badField(`keyIds[${index}]`, TOO_LONG);
    const key = keyOfId(ctx, id);
    if (!key) throw badField(`keyIds[${index}]`, 'This is not a key id.');
    if (isOwn(catalog, key)) throw badField(`keyIds[${index}]`, "This is a key of the console's own.");
    named.set(id, key);
  });
  const keys = [...named.values()];
  const more = keys.length > 1 ? ` and ${keys.length - 1} more` : '';
  return singleBranch('keys', displayKey(keys[0]!, catalog) + more, { keys, search: null });
};

const familyTarget = (catalog: Registry, id: string, given: Record<string, string>): Target => {
  const family = catalog.get(id);
  if (!family || family.type === 'channel') throw badField('family', 'The connection has no such family.');
  if (family.app === OWN_APP) throw badField('family', "These are the console's own keys.");
  const search = familySearch(catalog, family, given);
  return { ...singleBranch('family', search.label, { keys: [], search }), family };
};

const TOO_WIDE =
  'This pattern matches nearly everything: use at least two adjacent literal characters, a letter or digit among them.';

/** Some bare keys are passwords, and a pattern may be the beginning of one: only a known prefix is shown. */
const shownPattern = (catalog: Registry, pattern: string): string => {
  const { candidate, malformedOf } = catalog.locate(Buffer.from(pattern));
  if (candidate === null) return maskSecrets(pattern, true);
  return Buffer.from(malformedOf?.compiled.literals[0] ?? []).toString() + MASK;
};

const patternTarget = (catalog: Registry, pattern: string): Target => {
  const match = Buffer.from(pattern);
  if (isCatchAll(match)) throw badField('pattern', TOO_WIDE);
  if (startsWithPrefix(match, OWN_PREFIX)) throw badField('pattern', "These are the console's own keys.");
  const search = { match, accepts: (key: Key) => !isOwn(catalog, key) };
  return singleBranch('pattern', `pattern ${shownPattern(catalog, pattern)}`, { keys: [], search });
};

const entityTarget = (catalog: Registry, entity: NonNullable<InvalidationTarget['entity']>): Target => {
  const branches = entityBranches(catalog, entity);
  const isWhole = branches.every(({ included }) => included);
  const selected = isWhole ? '' : ` (${entity.branches!.length} of ${branches.length} branches)`;
  return { kind: 'entity', label: `${entity.kind} ${entity.id}${selected}`, family: null, branches };
};

/** Resolves a target. Throws 400 for an unknown target, a catch-all, and the console's own keys. */
export const resolveTarget = (ctx: Context, input: InvalidationTarget): Target => {
  const { catalog } = ctx;
  if (input.keyIds) return keysTarget(ctx, input.keyIds);
  if (input.pattern !== undefined) return patternTarget(catalog, input.pattern);
  if (input.entity) return entityTarget(catalog, input.entity);
  return familyTarget(catalog, input.family!, input.params ?? {});
};
