import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { displayKey } from '@/lib/keyspace/display';
import { ALIAS } from '@/lib/keyspace/entities';
import { ttlSeconds } from '@/lib/time';
import { readEach } from '@/lib/values/read-each';
import { textOf, UNREADABLE } from '@/lib/values/string-value';
import type { Subject } from './record';
import type { EntityView } from './schema';
import { keysExist, keysOf, type NamedKey, storedKeys } from './stored-keys';

type EntityKey = EntityView['keys'][number];

/** The key composed of fields of the record, such as user name and password. */
const aliasKeys = ({ catalog }: ReadContext, { entity, parts }: Subject): NamedKey[] => {
  const { alias } = entity.record ?? {};
  return alias ? keysOf(catalog, [{ family: alias.family, params: { [alias.param]: ALIAS } }], parts) : [];
};

/** The strings under other names of the entity, where the record has these names. */
const lookupKeys = ({ catalog }: ReadContext, { entity, record }: Subject): NamedKey[] =>
  (entity.record?.lookups ?? []).flatMap(({ family, param }) => {
    const stored = record?.values.get(param);
    const name = stored && textOf(stored);
    return name ? keysOf(catalog, [{ family, params: { [param]: param } }], new Map([[param, name]])) : [];
  });

const distinctKeys = (keys: readonly NamedKey[]): NamedKey[] => [
  ...new Map(keys.map((named) => [named.key.toString('latin1'), named])).values(),
];

/** All keys of an entity by the catalog, existing or not, with masked names. */
export const belongingKeys = async (ctx: ReadContext, subject: Subject): Promise<EntityKey[]> => {
  const { entity, parts } = subject;
  const named = distinctKeys([
    ...storedKeys(ctx.catalog, entity, parts),
    ...aliasKeys(ctx, subject),
    ...lookupKeys(ctx, subject),
  ]);
  const [exist, facts] = await Promise.all([
    keysExist(ctx, named),
    readEach(ctx.reader, named, ({ key }) => [
      ['TYPE', key],
      ['PTTL', key],
    ]),
  ]);
  await rememberLongKeys(
    ctx,
    named.map(({ key }) => key),
  );
  return named.map(({ key, family }, i) => {
    const [type, pttl] = facts[i]!;
    // An unreadable key may exist.
    const exists = exist[i] !== false;
    const ttl = typeof pttl === 'number' ? ttlSeconds(pttl) : null;
    return {
      family: family.id,
      title: family.title,
      key: displayKey(key, ctx.catalog),
      keyId: keyIdOf(ctx, key),
      exists,
      type: !exists || type === 'none' ? null : typeof type === 'string' ? type : UNREADABLE,
      ttlSeconds: exists ? (ttl ?? null) : null,
    };
  });
};
