import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { badField } from '@/lib/errors';
import { identify, type KeyIdentity } from '@/lib/key-values/identity';
import { scanPage } from '@/lib/key-values/scan-page';
import { displayBytes, escapeGlob } from '@/lib/keyspace/display';
import type { Family, Params } from '@/lib/keyspace/family';
import { MASK, maskSecrets, withoutLastRun } from '@/lib/keyspace/mask';
import { bytesOfName } from '@/lib/visible-text';
import { type KeySearch, listedFamily, parseParams, resolveFilter } from './filter';
import type { keyContracts } from './schema';

type Groups = Result<typeof keyContracts.groups>;
type Group = Groups['groups'][number];

/** Bytes of a name that are divided into parts. */
const MAX_NAME_BYTES = 1000;
const REST = '…';

/** Which group a key is in. */
type Place = Pick<Group, 'value' | 'open'>;

/** The largest `limit` groups, in order of size; the others are counted together. */
const countGroups = (places: readonly Place[], limit: number): Group[] => {
  const groups = new Map<string, Group>();
  for (const { value, open } of places) {
    const id = open ?? `\0${value}`;
    const group = groups.get(id);
    if (group) group.keys += 1;
    else groups.set(id, { value, open, keys: 1 });
  }
  const ordered = [...groups.values()].sort((a, b) => b.keys - a.keys);
  const rest = ordered.slice(limit).reduce((sum, { keys }) => sum + keys, 0);
  const most = ordered.slice(0, limit);
  return rest === 0 ? most : [...most, { value: REST, open: null, keys: rest }];
};

const byParam =
  (name: string) =>
  ({ params, shownParams }: KeyIdentity): Place => {
    const [value, shown] = [params[name] ?? '', shownParams[name] ?? MASK];
    if (shown.includes(MASK)) return { value: MASK, open: null };
    // The end of a longer one is not examined.
    return { value: shown, open: value.length > MAX_NAME_BYTES ? null : value };
  };

/** A name for display without its 200 character limit, so that its parts can be distinguished; cut at `MAX_NAME_BYTES`. */
const nameOf = ({ key, shown, guessable }: KeyIdentity): string => {
  if (guessable) return shown;
  if (key.length <= MAX_NAME_BYTES) return maskSecrets(displayBytes(key), true);
  return `${maskSecrets(withoutLastRun(displayBytes(key.subarray(0, MAX_NAME_BYTES))), true)}${REST}`;
};

const SEPARATOR = /[:/_\-.|]/;

/** The part of a name behind `prefix`, with the separator that ends it. */
const byPrefix =
  (prefix: string) =>
  (identity: KeyIdentity): Place => {
    const rest = nameOf(identity).slice(prefix.length);
    const end = rest.search(SEPARATOR);
    const value = end < 0 ? rest : rest.slice(0, end + 1);
    if (value.includes(MASK)) return { value: MASK, open: null };
    // A complete name opens nothing: it is in the list.
    return { value, open: end < 0 ? null : prefix + value };
  };

/** The glob of names that begin with a prefix as displayed. */
const prefixGlob = (prefix: string): Buffer =>
  Buffer.concat([escapeGlob(Buffer.from(bytesOfName(prefix))), Buffer.from('*')]);

interface Grouping {
  param: string | null;
  search: Pick<KeySearch, 'glob' | 'mayAccept' | 'accepts'>;
  placeOf(identity: KeyIdentity): Place;
}

const nextParam = (family: Family, params: Params): string | null =>
  family.paramNames.find((name) => !Object.hasOwn(params, name)) ?? null;

/** Null where a family has no further parameter, or only a secret one. */
const ofFamily = (ctx: ReadContext, id: string, text: string | undefined): Grouping | null => {
  const family = listedFamily(ctx.catalog, id);
  const param = nextParam(family, parseParams(ctx.catalog, family, text));
  if (param === null || family.sensitive?.includes(param)) return null;
  const search = resolveFilter(ctx.catalog, { family: id, params: text });
  return { param, search, placeOf: byParam(param) };
};

const ofUnclassified = (ctx: ReadContext, prefix: string): Grouping => {
  const search = resolveFilter(ctx.catalog, { state: 'unclassified' });
  const accepts = (identity: KeyIdentity) => search.accepts(identity) && nameOf(identity).startsWith(prefix);
  return { param: null, search: { ...search, glob: prefixGlob(prefix), accepts }, placeOf: byPrefix(prefix) };
};

/**
 * The branches of a family by its next parameter, or of unclassified keys by the next part of their names, as one page of
 * a scan finds them.
 */
export const groupKeys = async (
  ctx: ReadContext,
  input: Input<typeof keyContracts.groups>,
): Promise<Groups> => {
  const { family, params, prefix, cursor, limit } = input;
  if (family !== undefined && prefix !== undefined)
    throw badField('prefix', 'A prefix is of unclassified keys, which have no family.');
  if (family === undefined && params !== undefined) throw badField('params', 'Parameters need their family.');
  const total = await ctx.reader.size();
  const grouping = family === undefined ? ofUnclassified(ctx, prefix ?? '') : ofFamily(ctx, family, params);
  if (!grouping) return { param: null, groups: [], keys: 0, examined: 0, total, nextCursor: null };
  const { search, placeOf, param } = grouping;
  const page = await scanPage(ctx.connection, {
    cursor,
    limit: Infinity,
    glob: search.glob,
    reads: false,
    select: async (keys) => (await identify(ctx, keys.filter(search.mayAccept))).filter(search.accepts),
    read: async (identities: readonly KeyIdentity[]) => identities.map(placeOf),
  });
  const { items, examined, nextCursor } = page;
  return { param, groups: countGroups(items, limit), keys: items.length, examined, total, nextCursor };
};
