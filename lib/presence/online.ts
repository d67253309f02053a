import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { notFound, Problem } from '@/lib/errors';
import { displayKey } from '@/lib/keyspace/display';
import type { EntityDefinition } from '@/lib/keyspace/entities';
import type { Family } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { countOnline } from '@/lib/role-keys/count-online';

type Context = Pick<ReadContext, 'catalog' | 'connection'>;

/** The set of users online. 404 where the connection's catalog has none. */
export const presenceFamily = ({ catalog, connection }: Context): Family => {
  const family = catalog.role('presence');
  if (!family) throw notFound(`A list of users online on connection "${connection.config.id}"`);
  return family;
};

/** The kind whose record the members of the set name; undefined where the catalog does not say. */
export const userEntity = (
  { catalog }: Pick<Context, 'catalog'>,
  { members }: Family,
): EntityDefinition | undefined =>
  catalog.entities.find(({ record }) => record?.keys.some(({ family }) => family === members?.family));

export const notASet = ({ catalog }: Context, key: Key): Problem =>
  new Problem(
    'conflict',
    `The key ${displayKey(key, catalog)} is neither a set nor a sorted set: the application cannot read who is online. Check the key and delete it.`,
  );

/** As `countOnline`. Throws 409 where the key is something else. */
export const onlineNow = async (ctx: ReadContext, family: Family): Promise<number> => {
  const online = await countOnline(ctx.reader, ctx.catalog);
  if (online === null) throw notASet(ctx, family.key());
  return online;
};
