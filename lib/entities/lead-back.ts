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

/** A stored entity, and the one that its own relation should refer back to. */
export interface LeadsBack {
  target: EntityDefinition;
  id: string;
  inverse: RelationDefinition;
  owner: EntityDefinition;
  ownerId: string;
}

/** The combined answer of several keys of one relation: one with the member is enough. */
const together = (found: readonly Contained[]): Contained =>
  (['yes', 'unknown', 'no'] as const).find((answer) => found.includes(answer)) ??
  (found.length === 0 ? 'unknown' : 'absent');

const keySourcesOf = ({ inverse: { from } }: LeadsBack, byAlias: boolean): readonly KeySource[] =>
  'members' in from ? from.members.filter((source) => isByAlias(source) === byAlias) : [];

/** Whether the keys of these sources contain the owner, for each. */
const inKeys = async (
  ctx: Context,
  all: readonly { asked: LeadsBack; sources: readonly KeySource[]; parts: ReadonlyMap<string, string> }[],
): Promise<Contained[][]> => {
  const pairs = all.map(({ asked, sources, parts }) =>
    keysOf(ctx.catalog, sources, parts).map(({ key }) => ({ key, member: asked.ownerId })),
  );
  const contained = (await containsMany(ctx, pairs.flat())).values();
  return pairs.map((own) => own.map(() => contained.next().value!));
};

/** Keys that contain a record's alias are read only if the others lack the owner, because they need the record. */
const inMembers = async (ctx: Context, all: readonly LeadsBack[]): Promise<Contained[]> => {
  const parts = all.map(({ target, id }) => partsOf(target, id)!);
  const contained = await inKeys(
    ctx,
    all.map((asked, i) => ({ asked, sources: keySourcesOf(asked, false), parts: parts[i]! })),
  );
  const aliased = all.flatMap((asked, i) => {
    const sources = keySourcesOf(asked, true);
    return sources.length === 0 || contained[i]!.includes('yes') ? [] : [{ i, asked, sources }];
  });
  const aliases = await readAliases(
    ctx,
    aliased.map(({ asked }) => asked),
  );
  const known = aliased.flatMap((pair, at) => {
    const alias = aliases[at];
    return alias == null ? [] : [{ ...pair, parts: new Map([...parts[pair.i]!, [ALIAS, alias]]) }];
  });
  const more = await inKeys(ctx, known);
  for (const [at, { i }] of known.entries()) contained[i]!.push(...more[at]!);
  return contained.map(together);
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
    // A missing field refers to no other entity.
    if (!value) return 'unknown';
    return idOf(owner, cutOf(value)) === ownerId ? 'yes' : 'no';
  });
};

/**
 * Whether entities refer back, in order. `absent`: their relation is not stored. Unknown for relations that are
 * neither members nor a field. Used by the page of an entity and by the job that checks all.
 */
export const leadBack = async (ctx: Context, all: readonly LeadsBack[]): Promise<Contained[]> => {
  const stored = { members: inMembers, field: inFields };
  const results: Contained[] = all.map(() => 'unknown');
  await Promise.all(
    (['members', 'field'] as const).map(async (how) => {
      const places = all.flatMap(({ inverse }, i) => (how in inverse.from ? [i] : []));
      const own = await stored[how](
        ctx,
        places.map((i) => all[i]!),
      );
      for (const [at, i] of places.entries()) results[i] = own[at]!;
    }),
  );
  return results;
};

/** The missing side of a relation: without the member, or not stored at all. Null where none is missing. */
export const lackingSide = (found: Contained): { stored: boolean } | null =>
  found === 'no' || found === 'absent' ? { stored: found === 'no' } : null;
