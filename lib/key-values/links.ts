import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyIdOf } from '@/lib/command/key-ids';
import { displayKey } from '@/lib/keyspace/display';
import type { Family, Params } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { paramOf } from '@/lib/role-keys/part-in-key';
import { textOf } from '@/lib/values/string-value';
import type { KeyIdentity } from './identity';
import type { KeyElement, RelatedKey } from './schema';

type Context = Pick<ReadContext, 'connection' | 'catalog' | 'reader'>;

const MAX_RELATED = 20;

/** The key, or null where these parameters make none of the family. */
const keyOf = (family: Family, params: Params): Key | null => {
  try {
    return family.key(params);
  } catch {
    return null;
  }
};

const ownParams = (family: Family, params: Params): Params =>
  Object.fromEntries(
    family.paramNames.flatMap((name) => (Object.hasOwn(params, name) ? [[name, params[name]!]] : [])),
  );

/** The family that members name, and how a member and the key's own parameters make such a key. */
const linkOf = (
  { catalog }: Pick<ReadContext, 'catalog'>,
  { family, params }: KeyIdentity,
): ((member: string) => Key | null) | null => {
  const target = family?.members && catalog.get(family.members.family);
  const by = family?.members?.param;
  if (target && by) return (member) => keyOf(target, { ...ownParams(target, params), [by]: member });
  if (family?.role !== 'session-index') return null;
  const token = family.part('token');
  if (token && 'member' in token && token.member === 'key')
    return (member) => {
      const key = Buffer.from(member);
      // Any other text in an index may be a token, which its name would show.
      return catalog.locate(key).family?.role === 'session' ? key : null;
    };
  const session = catalog.role('session');
  const named = session && paramOf(session, 'token');
  if (!session || !named) return null;
  const [user, owner] = [paramOf(session, 'userId'), paramOf(family, 'userId')];
  const ofUser = user !== null && owner !== null ? { [user]: params[owner] ?? '' } : {};
  return (member) => keyOf(session, { ...ofUser, [named]: member });
};

/** Adds to elements the keys that their members name, and whether these exist: one round trip a page. */
export const addLinks = async (
  ctx: Context,
  identity: KeyIdentity,
  elements: readonly { element: KeyElement; member: Buffer | null }[],
): Promise<KeyElement[]> => {
  const link = linkOf(ctx, identity);
  const keys = elements.map(({ member }) => {
    const text = link && member && textOf(member);
    return link && text ? link(text) : null;
  });
  const found = keys.filter((key) => key !== null);
  const exists = await ctx.reader.readMany(found.map((key) => ['EXISTS', key] as const));
  const known = new Map(found.map((key, i) => [key, exists[i] === 1]));
  return elements.map(({ element }, i) => {
    const key = keys[i];
    if (!key) return element;
    const shown = { keyId: keyIdOf(ctx, key), key: displayKey(key, ctx.catalog), exists: known.get(key)! };
    return { ...element, link: shown };
  });
};

/** Relations that the catalog declares, in both directions, with the parameters of the other key. */
const relationsOf = ({ catalog }: Context, { family, params }: KeyIdentity) => {
  if (!family) return [];
  const mapped = (pairs: readonly (readonly [to: string, from: string])[]): Params =>
    Object.fromEntries(
      pairs.flatMap(([to, from]) => (Object.hasOwn(params, from) ? [[to, params[from]!]] : [])),
    );
  const outgoing = (family.related ?? []).flatMap((relation) => {
    const target = catalog.get(relation.family);
    return target ? [{ target, params: mapped(Object.entries(relation.params)) }] : [];
  });
  const incoming = catalog.families.flatMap((target) =>
    (target.related ?? [])
      .filter((relation) => relation.family === family.id)
      .map((relation) => ({
        target,
        params: mapped(Object.entries(relation.params).map(([own, theirs]) => [theirs, own] as const)),
      })),
  );
  return [...outgoing, ...incoming];
};

/** Keys that belong to this one by the catalog, where its parameters name them completely. */
export const readRelated = async (ctx: Context, identity: KeyIdentity): Promise<RelatedKey[]> => {
  const seen = new Set([identity.key.toString('latin1')]);
  const named = relationsOf(ctx, identity).flatMap(({ target, params }) => {
    const key = target.type === 'channel' ? null : keyOf(target, params);
    const id = key?.toString('latin1');
    if (!key || id === undefined || seen.has(id)) return [];
    seen.add(id);
    return [{ target, key }];
  });
  const found = named.slice(0, MAX_RELATED);
  const exists = await ctx.reader.readMany(found.map(({ key }) => ['EXISTS', key] as const));
  return found.map(({ target, key }, i) => ({
    family: target.id,
    title: target.title,
    key: displayKey(key, ctx.catalog),
    keyId: keyIdOf(ctx, key),
    exists: typeof exists[i] === 'number' ? exists[i] === 1 : null,
  }));
};
