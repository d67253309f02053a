import 'server-only';
import {
  ALIAS,
  type EntityDefinition,
  type KeySource,
  type RelationDefinition,
} from '@/lib/catalog/entities';
import { partsOf, refOf, sourceKey } from '@/lib/catalog/entity-ids';
import type { ReadContext } from '@/lib/command/context';
import type { Cut } from '@/lib/keys/etag';
import type { Key } from '@/lib/redis/commands';
import { isByAlias, readAliases } from './check-aliases';
import type { CheckCounts } from './check-counts';
import { readStoredFields } from './check-fields';
import type { CheckedRelation } from './check-plan';
import { type Contained, containsMany } from './contains';
import { existsMany } from './references';
import { idOf } from './refs';
import { recordKeys } from './stored-keys';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'reader'>;

/** A relation that a reference belongs to, and whose it is; null where the key's name makes no id. */
export interface Lead {
  relation: CheckedRelation;
  ownerId: string | null;
}

/** An element of a key, or a field of a record, that names an entity. */
export interface Reference {
  key: Key;
  family: string;
  value: Cut;
  field: string | null;
  /** Usually one: several relations may be stored in keys of one family. */
  leads: readonly Lead[];
}

/** What a reference names by one of its relations. */
interface Named {
  lead: Lead;
  target: EntityDefinition;
  /** Null where it cannot be an id; undefined where it is too long to tell. */
  id: string | null | undefined;
}

const namedBy = ({ leads, value }: Reference): Named[] =>
  leads.flatMap((lead) => {
    const { target } = lead.relation;
    return target ? [{ lead, target, id: idOf(target, value) }] : [];
  });

/** Whether ids of one kind are stored, each asked once. */
const existing = async (ctx: Context, target: EntityDefinition, ids: Set<string>) => {
  const all = [...ids];
  const exist = await existsMany(ctx, target, all);
  return new Map(all.map((id, i) => [id, exist[i]!] as const));
};

type Existence = (named: Named) => boolean | null;

const readExistence = async (ctx: Context, all: readonly Named[]): Promise<Existence> => {
  const byTarget = new Map<EntityDefinition, Set<string>>();
  for (const { target, id } of all) {
    if (typeof id !== 'string') continue;
    const ids = byTarget.get(target) ?? new Set();
    byTarget.set(target, ids.add(id));
  }
  const found = new Map(
    await Promise.all(
      [...byTarget].map(async ([target, ids]) => [target, await existing(ctx, target, ids)] as const),
    ),
  );
  return ({ target, id }) => {
    if (id === null) return false;
    return (id === undefined ? null : found.get(target)?.get(id)) ?? null;
  };
};

/** A reference whose target exists and should lead back to its owner. */
interface Asked {
  inverse: RelationDefinition;
  target: EntityDefinition;
  id: string;
  owner: EntityDefinition;
  ownerId: string;
}

/** What several keys of one relation say together: one that has the member is enough. */
const together = (found: readonly Contained[]): Contained =>
  (['yes', 'unknown', 'no'] as const).find((one) => found.includes(one)) ??
  (found.length === 0 ? 'unknown' : 'absent');

const sourcesOf = ({ inverse }: Asked): readonly KeySource[] =>
  'members' in inverse.from ? inverse.from.members : [];

type Parts = ReadonlyMap<string, string>;

/** Whether the keys that these parts name have the owners, in order; `unknown` where the parts name no key. */
const inKeysOf = async (
  ctx: Context,
  all: readonly Asked[],
  parts: readonly Parts[],
): Promise<Contained[]> => {
  const pairs = all.map((asked, i) =>
    sourcesOf(asked).flatMap((source) => {
      const key = sourceKey(ctx.catalog, source, parts[i]!);
      return key ? [{ key, member: asked.ownerId }] : [];
    }),
  );
  const found = (await containsMany(ctx, pairs.flat())).values();
  return pairs.map((own) => together(own.map(() => found.next().value!)));
};

/** Keys named by the alias of a record are read only where the others lack the owner: the record is read for them. */
const inMembers = async (ctx: Context, all: readonly Asked[]): Promise<Contained[]> => {
  const parts = all.map(({ target, id }) => partsOf(target, id)!);
  const found = await inKeysOf(ctx, all, parts);
  const places = all.flatMap((asked, i) =>
    found[i] !== 'yes' && sourcesOf(asked).some(isByAlias) ? [i] : [],
  );
  const aliases = await readAliases(
    ctx,
    places.map((i) => all[i]!),
  );
  const known = places.flatMap((i, at) => {
    const alias = aliases[at];
    return alias === null || alias === undefined ? [] : [{ i, parts: new Map(parts[i]).set(ALIAS, alias) }];
  });
  const again = await inKeysOf(
    ctx,
    known.map(({ i }) => all[i]!),
    known.map((one) => one.parts),
  );
  for (const [at, { i }] of known.entries()) found[i] = again[at]!;
  return found;
};

const inFields = async (ctx: Context, all: readonly Asked[]): Promise<Contained[]> => {
  const keys = all.map(({ inverse, target, id }) => {
    const fields = 'field' in inverse.from ? [inverse.from.field] : [];
    const named = recordKeys(ctx.catalog, target, partsOf(target, id)!);
    return named.map(({ key, family }) => ({ key, family: family.id, fields }));
  });
  const found = (await readStoredFields(ctx, keys.flat())).values();
  return keys.map((own, i): Contained => {
    // The first that exists is the record.
    const record = own
      .map(() => found.next().value!)
      .find(({ type, fault }) => type !== null || fault !== null);
    const [value] = record?.values.values() ?? [];
    const { owner, ownerId } = all[i]!;
    if (!value) return 'unknown';
    return idOf(owner, { bytes: value, length: value.length }) === ownerId ? 'yes' : 'no';
  });
};

/** Whether targets lead back, in order. Other relations (found by scanning, parts of an id) always do. */
const leadBack = async (ctx: Context, all: readonly Asked[]): Promise<Contained[]> => {
  const found: Contained[] = all.map(() => 'unknown');
  const placesOf = (how: 'members' | 'field') =>
    all.flatMap(({ inverse }, i) => (how in inverse.from ? [i] : []));
  await Promise.all(
    (
      [
        ['members', inMembers],
        ['field', inFields],
      ] as const
    ).map(async ([how, read]) => {
      const places = placesOf(how);
      const own = await read(
        ctx,
        places.map((i) => all[i]!),
      );
      for (const [at, i] of places.entries()) found[i] = own[at]!;
    }),
  );
  return found;
};

const askedOf = ({ lead, target, id }: Named): Asked | null => {
  const { relation, ownerId } = lead;
  const { owner, inverse } = relation;
  return owner && inverse && ownerId !== null && typeof id === 'string'
    ? { inverse, target, id, owner, ownerId }
    : null;
};

const ownerOf = ({ relation, ownerId }: Lead) => (ownerId === null ? null : { relation, id: ownerId });

/** Looks up what references name, and whether that names them back. Each reference has one problem at most. */
export const checkReferences = async (
  ctx: Context,
  counts: CheckCounts,
  references: readonly Reference[],
): Promise<void> => {
  const named = references.map(namedBy);
  const exists = await readExistence(ctx, named.flat());
  const missing = named.map((own) => own.find((one) => exists(one) === false));
  const asked = named.flatMap((own, i) => {
    if (missing[i]) return [];
    return own.flatMap((one) => {
      const question = exists(one) ? askedOf(one) : null;
      return question ? [{ i, lead: one.lead, question }] : [];
    });
  });
  const answers = await leadBack(
    ctx,
    asked.map(({ question }) => question),
  );
  const lacking = new Map<number, { lead: Lead; inverse: string; isStored: boolean }>();
  for (const [at, { i, lead, question }] of asked.entries()) {
    const answer = answers[at]!;
    if ((answer === 'no' || answer === 'absent') && !lacking.has(i))
      lacking.set(i, { lead, inverse: question.inverse.id, isStored: answer === 'no' });
  }
  for (const [i, { key, family, value, field }] of references.entries()) {
    counts.of(family).references += 1;
    const member = { ...value, field };
    const gone = missing[i];
    const lacks = lacking.get(i);
    if (gone) {
      const isId = gone.id !== null;
      const detail = isId ? `${refOf(gone.target)} is not stored` : `no id of ${refOf(gone.target)}`;
      const owner = ownerOf(gone.lead);
      counts.add({ problem: 'dangling', family, key, member: { ...member, isId }, detail, owner });
    } else if (lacks) {
      const detail = lacks.isStored ? `not in its ${lacks.inverse}` : `its ${lacks.inverse} is not stored`;
      if (!lacks.isStored) counts.notStored += 1;
      const owner = ownerOf(lacks.lead);
      counts.add({ problem: 'oneSided', family, key, member: { ...member, isId: true }, detail, owner });
    }
  }
};
