import 'server-only';
import { CONSOLE_PREFIX } from '@/lib/catalog/apps/console';
import { bytesEqualAt } from '@/lib/catalog/bytes';
import type { Located } from '@/lib/catalog/classify';
import { displayKey, displayParams, keyFromId } from '@/lib/catalog/display';
import type { Family } from '@/lib/catalog/family';
import { maskSecrets } from '@/lib/catalog/mask';
import type { Registry } from '@/lib/catalog/registry';
import { badInput } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { entityBranches } from './entity';
import { fitsNarrowing, globOf, isNarrowed, type Narrowing, narrowing } from './narrowing';
import { aimsAt, isCatchAll } from './pattern';
import type { Branch, Search, Target } from './reach';
import type { InvalidationTarget } from './schema';

const OWN = 'console';
const OWN_PREFIX = Buffer.from(CONSOLE_PREFIX);

const begins = (key: Key, prefix: Uint8Array): boolean =>
  key.length >= prefix.length && bytesEqualAt(key, 0, prefix);

/** The console's own keys, and what looks like one: never an application's cache. */
const isOwn = (catalog: Registry, key: Key): boolean =>
  begins(key, OWN_PREFIX) || catalog.locate(key).family?.app === OWN;

const refuse = (path: string, message: string) => badInput([{ path, message }]);

const whole = (kind: Target['kind'], label: string, part: Pick<Branch, 'keys' | 'search'>): Target => ({
  kind,
  label,
  family: null,
  branches: [{ id: kind, title: label, included: true, wider: false, known: true, ...part }],
});

const keysTarget = (catalog: Registry, keyIds: readonly string[]): Target => {
  const seen = new Map<string, Key>();
  keyIds.forEach((id, index) => {
    const key = keyFromId(id);
    if (!key || key.length === 0) throw refuse(`keyIds[${index}]`, 'This is not a key id.');
    if (isOwn(catalog, key)) throw refuse(`keyIds[${index}]`, "This is a key of the console's own.");
    seen.set(id, key);
  });
  const keys = [...seen.values()];
  const more = keys.length > 1 ? ` and ${keys.length - 1} more` : '';
  return whole('keys', displayKey(keys[0]!, catalog) + more, { keys, search: null });
};

/** Whether a key that SCAN MATCH gave really is of the family: the glob is wider. Asked of every key that fits it. */
const ofFamily = (catalog: Registry, family: Family, narrow: Narrowing): ((key: Key) => boolean) => {
  const narrowed = isNarrowed(narrow);
  return (key) => {
    if (catalog.locate(key).family?.id !== family.id || begins(key, OWN_PREFIX)) return false;
    if (!narrowed) return true;
    const found = catalog.classify(key);
    return found.family !== null && fitsNarrowing(family, narrow, found.params);
  };
};

export const familySearch = (catalog: Registry, family: Family, given: Record<string, string>): Search => {
  const narrow = narrowing(family, given);
  return { match: globOf(family, narrow), accepts: ofFamily(catalog, family, narrow) };
};

const labelOf = (catalog: Registry, family: Family, { params, pairs }: Narrowing): string => {
  const shown = displayParams(family, params, catalog);
  const narrowed = [
    ...Object.keys(params).map((name) => `${name}=${shown[name]}`),
    ...Object.entries(pairs).map(([name, value]) => `${name}=${maskSecrets(value, true)}`),
  ];
  return family.id + (narrowed.length > 0 ? ` (${narrowed.join(', ')})` : '');
};

const familyTarget = (catalog: Registry, id: string, given: Record<string, string>): Target => {
  const family = catalog.get(id);
  if (!family || family.type === 'channel') throw refuse('family', 'The connection has no such family.');
  if (family.app === OWN) throw refuse('family', "These are the console's own keys.");
  const search = familySearch(catalog, family, given);
  const label = labelOf(catalog, family, narrowing(family, given));
  return { ...whole('family', label, { keys: [], search }), family };
};

const TOO_WIDE =
  'This pattern reaches nearly everything: give it at least two literal characters side by side, a letter or digit among them.';

const patternTarget = (catalog: Registry, pattern: string): Target => {
  const match = Buffer.from(pattern);
  if (isCatchAll(match)) throw refuse('pattern', TOO_WIDE);
  if (aimsAt(match, OWN_PREFIX)) throw refuse('pattern', "These are the console's own keys.");
  const search = { match, accepts: (key: Key) => !isOwn(catalog, key) };
  return whole('pattern', `pattern ${maskSecrets(pattern, true)}`, { keys: [], search });
};

/** Everything an application drops under a prefix, whatever family it is of. */
export const prefixSearch = (catalog: Registry, prefix: string): Search => {
  const bytes = Buffer.from(prefix);
  return {
    match: `${prefix}*`,
    accepts: (key) => begins(key, bytes) && !isOwn(catalog, key),
  };
};

const entityTarget = (catalog: Registry, entity: NonNullable<InvalidationTarget['entity']>): Target => {
  const branches = entityBranches(catalog, entity, {
    family: (family, params) => familySearch(catalog, family, params),
    prefix: (prefix) => prefixSearch(catalog, prefix),
  });
  const all = branches.every(({ included }) => included);
  const some = all ? '' : ` (${entity.branches!.length} of ${branches.length} branches)`;
  return { kind: 'entity', label: `${entity.kind} ${entity.id}${some}`, family: null, branches };
};

/** Resolves a target. Throws 400 for what names nothing, nearly everything, or the console's own keys. */
export const resolveTarget = (catalog: Registry, input: InvalidationTarget): Target => {
  if (input.keyIds) return keysTarget(catalog, input.keyIds);
  if (input.pattern !== undefined) return patternTarget(catalog, input.pattern);
  if (input.entity) return entityTarget(catalog, input.entity);
  return familyTarget(catalog, input.family!, input.params ?? {});
};

/** Whether a key is a session, token, variable or lock, or nothing known, which nobody can say to be a cache. */
export const isSensitive = ({ family, malformedOf }: Located): boolean =>
  (family ?? malformedOf)?.guarded ?? (family ?? malformedOf) === null;

/** Whether it names what is guarded, told without looking at Redis; of a search only its keys can tell. */
export const namesSensitive = (catalog: Registry, target: Target): boolean =>
  (target.family?.guarded ?? false) ||
  target.branches.some(({ keys }) => keys.some((key) => isSensitive(catalog.locate(key))));
