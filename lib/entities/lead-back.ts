import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { cutOf } from '@/lib/key-values/etag';
import {
  ALIAS,
  type EntityDefinition,
  type KeySource,
  type RelationDefinition,
} from '@/lib/keyspace/entities';
import { partsOf } from '@/lib/keyspace/entity-ids';
import { isByAlias, readAliases } from './aliases';
import { type Contained, containsMany } from './contains';
import { idOf } from './refs';
import { readRecordValues } from './stored-fields';
import { keysOf } from './stored-keys';

type Context = Pick<ReadContext, 'catalog' | 'reader'>;

/** An entity that is stored, and the one that it should lead back to by a relation of its own. */
export interface LeadsBack {
  target: EntityDefinition;
  id: string;
  inverse: RelationDefinition;
  owner: EntityDefinition;
  ownerId: string;
}

/** What several keys of one relation say together: one that has the member is enough. */
const together = (found: readonly Contained[]): Contained =>
  (['yes', 'unknown', 'no'] as const).find((one) => found.includes(one)) ??
  (found.length === 0 ? 'unknown' : 'absent');

const keySourcesOf = ({ inverse: { from } }: LeadsBack, byAlias: boolean): readonly KeySource[] =>
  'members' in from ? from.members.filter((source) => isByAlias(source) === byAlias) : [];

/** Of each, whether the keys that these sources name have its owner. */
const inKeys = async (
  ctx: Context,
  all: readonly { asked: LeadsBack; sources: readonly KeySource[]; parts: ReadonlyMap<string, string> }[],
): Promise<Contained[][]> => {
  const pairs = all.map(({ asked, sources, parts }) =>
    keysOf(ctx.catalog, sources, parts).map(({ key }) => ({ key, member: asked.ownerId })),
  );
  const found = (await containsMany(ctx, pairs.flat())).values();
  return pairs.map((own) => own.map(() => found.next().value!));
};

/** Keys named by the alias of a record are read only where the others lack the owner: the record is read for them. */
const inMembers = async (ctx: Context, all: readonly LeadsBack[]): Promise<Contained[]> => {
  const parts = all.map(({ target, id }) => partsOf(target, id)!);
  const found = await inKeys(
    ctx,
    all.map((asked, i) => ({ asked, sources: keySourcesOf(asked, false), parts: parts[i]! })),
  );
  const aliased = all.flatMap((asked, i) => {
    const sources = keySourcesOf(asked, true);
    return sources.length === 0 || found[i]!.includes('yes') ? [] : [{ i, asked, sources }];
  });
  const aliases = await readAliases(
    ctx,
    aliased.map(({ asked }) => asked),
  );
  const known = aliased.flatMap((one, at) => {
    const alias = aliases[at];
    return alias == null ? [] : [{ ...one, parts: new Map([...parts[one.i]!, [ALIAS, alias]]) }];
  });
  const more = await inKeys(ctx, known);
  for (const [at, { i }] of known.entries()) found[i]!.push(...more[at]!);
  return found.map(together);
};

const inFields = async (ctx: Context, all: readonly LeadsBack[]): Promise<Contained[]> => {
  const records = await readRecordValues(
    ctx,
    all.map(({ target: entity, id, inverse: { from } }) => ({
      entity,
      id,
      fields: 'field' in from ? [from.field] : [],
    })),
  );
  return all.map(({ owner, ownerId }, i): Contained => {
    const [value] = records[i]?.values.values() ?? [];
    // A missing field leads to no other entity.
    if (!value) return 'unknown';
    return idOf(owner, cutOf(value)) === ownerId ? 'yes' : 'no';
  });
};

/**
 * Whether entities lead back, in order. `absent`: that relation of theirs is not stored. Unknown for relations that are
 * neither members nor a field. The page of an entity and the job that checks all of them decide it here.
 */
export const leadBack = async (ctx: Context, all: readonly LeadsBack[]): Promise<Contained[]> => {
  const stored = { members: inMembers, field: inFields };
  const found: Contained[] = all.map(() => 'unknown');
  await Promise.all(
    (['members', 'field'] as const).map(async (how) => {
      const places = all.flatMap(({ inverse }, i) => (how in inverse.from ? [i] : []));
      const own = await stored[how](
        ctx,
        places.map((i) => all[i]!),
      );
      for (const [at, i] of places.entries()) found[i] = own[at]!;
    }),
  );
  return found;
};

/** The side that an entity lacks: its relation without the member, or not stored at all. Null where it lacks none. */
export const lackingSide = (found: Contained): { stored: boolean } | null =>
  found === 'no' || found === 'absent' ? { stored: found === 'no' } : null;
