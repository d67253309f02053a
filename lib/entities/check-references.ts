import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Cut } from '@/lib/key-values/etag';
import type { EntityDefinition } from '@/lib/keyspace/entities';
import { refOf } from '@/lib/keyspace/entity-ids';
import type { Key } from '@/lib/redis/commands';
import type { CheckCounts } from './check-counts';
import type { CheckedRelation } from './check-plan';
import { type LeadsBack, lackingSide, leadBack } from './lead-back';
import { existsMany } from './references';
import { idOf } from './refs';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'reader'>;

/** A reference's relation and its owner's id; null where the key's name yields none. */
export interface Lead {
  relation: CheckedRelation;
  ownerId: string | null;
}

/** An element of a key, or a field of a record, that refers to an entity. */
export interface Reference {
  key: Key;
  family: string;
  value: Cut;
  field: string | null;
  /** Usually one: keys of one family may store several relations. */
  leads: readonly Lead[];
}

/** The target of a reference by one of its relations. */
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

/** Which ids of one kind are stored; each is looked up once. */
const existing = async (ctx: Context, target: EntityDefinition, ids: Set<string>) => {
  const unique = [...ids];
  const exist = await existsMany(ctx, target, unique);
  return new Map(unique.map((id, i) => [id, exist[i]!] as const));
};

type Existence = (named: Named) => boolean | null;

const readExistence = async (ctx: Context, all: readonly Named[]): Promise<Existence> => {
  const byTarget = new Map<EntityDefinition, Set<string>>();
  for (const { target, id } of all) {
    if (typeof id !== 'string') continue;
    const ids = byTarget.get(target) ?? new Set();
    byTarget.set(target, ids.add(id));
  }
  const stored = new Map(
    await Promise.all(
      [...byTarget].map(async ([target, ids]) => [target, await existing(ctx, target, ids)] as const),
    ),
  );
  return ({ target, id }) => {
    if (id === null) return false;
    return (id === undefined ? null : stored.get(target)?.get(id)) ?? null;
  };
};

const askedOf = ({ lead, target, id }: Named): LeadsBack | null => {
  const { relation, ownerId } = lead;
  const { owner, inverse } = relation;
  return owner && inverse && ownerId !== null && typeof id === 'string'
    ? { inverse, target, id, owner, ownerId }
    : null;
};

const ownerOf = ({ relation, ownerId }: Lead) => (ownerId === null ? null : { relation, id: ownerId });

/** Checks whether the targets of references exist and refer back. Each reference has at most one problem. */
export const checkReferences = async (
  ctx: Context,
  counts: CheckCounts,
  references: readonly Reference[],
): Promise<void> => {
  const named = references.map(namedBy);
  const exists = await readExistence(ctx, named.flat());
  const missing = named.map((own) => own.find((reference) => exists(reference) === false));
  const asked = named.flatMap((own, i) => {
    if (missing[i]) return [];
    return own.flatMap((reference) => {
      const question = exists(reference) ? askedOf(reference) : null;
      return question ? [{ i, lead: reference.lead, question }] : [];
    });
  });
  const answers = await leadBack(
    ctx,
    asked.map(({ question }) => question),
  );
  const lacking = new Map<number, { lead: Lead; inverse: string; stored: boolean }>();
  for (const [at, { i, lead, question }] of asked.entries()) {
    const side = lackingSide(answers[at]!);
    if (side && !lacking.has(i)) lacking.set(i, { lead, inverse: question.inverse.id, ...side });
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
      const detail = lacks.stored ? `not in its ${lacks.inverse}` : `its ${lacks.inverse} is not stored`;
      if (!lacks.stored) counts.notStored += 1;
      const owner = ownerOf(lacks.lead);
      counts.add({ problem: 'oneSided', family, key, member: { ...member, isId: true }, detail, owner });
    }
  }
};
