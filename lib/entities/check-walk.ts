import 'server-only';
import { catalogOf, type ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import { ALIAS } from '@/lib/keyspace/entities';
import { refOf } from '@/lib/keyspace/entity-ids';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { Collector, WalkedKeys, Wanted } from '@/lib/walk/collector';
import { joinWalk } from '@/lib/walk/shared-walk';
import { idsOfAliases } from './aliases';
import type { CheckCounts } from './check-counts';
import { allMembers, type MemberContext, memberPages } from './check-members';
import { type CheckedRelation, type CheckPlan, type FamilyPlan, ownerId } from './check-plan';
import { pacedCalls, pacedReader } from './check-reader';
import { checkReferences, type Lead, type Reference } from './check-references';
import { readShapes, type Shape } from './members';
import { countIn, readRecordValues, readStoredFields, type StoredFields } from './stored-fields';

/** Limits of collections read completely and together; larger ones are read page by page. */
const SMALL_ELEMENTS = 100;
const SMALL_BYTES = 64 * 1024;
/** Limits of elements and their bytes in memory. */
const MAX_ELEMENTS = 1000;
const MAX_BYTES = 4 * 2 ** 20;
/** Keys checked together: calls for few of them would consist mostly of pauses. */
const KEYS_AT_ONCE = 500;

/** A key of a checked family. */
interface Found {
  key: Key;
  plan: FamilyPlan;
  params: Readonly<Record<string, string>>;
}

/** A collection with readable members. */
interface Collection extends Found {
  shape: Shape;
  leads: Lead[];
}

/** The owners of these keys, by each relation of their family, in order. A pair in both orders is one owner. */
const readLeads = async (
  ctx: MemberContext,
  found: readonly Found[],
  relationsOf: (plan: FamilyPlan) => readonly CheckedRelation[],
): Promise<Lead[][]> => {
  const owners = found.flatMap(({ plan, params }, i) =>
    relationsOf(plan).map((relation) => ({ i, relation, ownerId: ownerId(relation, params), params })),
  );
  const byAlias = owners.flatMap((one) => {
    const { owner, source } = one.relation;
    const alias = Object.entries(source.params).find(([, name]) => name === ALIAS)?.[0];
    return owner && alias !== undefined ? [{ one, owner, alias: one.params[alias] ?? '' }] : [];
  });
  const ids = await idsOfAliases(ctx, byAlias);
  for (const [at, { one }] of byAlias.entries()) one.ownerId = ids[at]!;
  const leads = found.map(() => new Map<string, Lead>());
  for (const { i, relation, ownerId: id } of owners) {
    const owner = relation.owner ? refOf(relation.owner) : '';
    leads[i]!.set(JSON.stringify([owner, relation.relation.id, id]), { relation, ownerId: id });
  }
  return leads.map((own) => [...own.values()]);
};

const referenceOf = ({ key, plan }: Found, value: Reference['value'], leads: readonly Lead[]): Reference => ({
  key,
  family: plan.family.id,
  value,
  field: null,
  leads,
});

/** Groups collections so that each group's elements fit into memory. */
const groupsOf = (collections: readonly (Collection & { bytes: number })[]): Collection[][] => {
  const groups: Collection[][] = [];
  let [elements, size] = [Infinity, Infinity];
  for (const collection of collections) {
    elements += collection.shape.count ?? 0;
    size += collection.bytes;
    if (elements > MAX_ELEMENTS || size > MAX_BYTES) {
      groups.push([]);
      [elements, size] = [collection.shape.count ?? 0, collection.bytes];
    }
    groups.at(-1)!.push(collection);
  }
  return groups;
};

class Check implements Collector {
  readonly wants: Wanted = {};
  private readonly waiting: Found[] = [];

  constructor(
    private readonly ctx: MemberContext,
    private readonly plan: CheckPlan,
    private readonly counts: CheckCounts,
  ) {}

  async add({ keys, types, ...chunk }: WalkedKeys): Promise<void> {
    const { catalog, connection, reader } = this.ctx;
    // The catalog may have changed since the plan was made.
    const isSame = catalogOf(connection) === catalog;
    const identified = isSame ? chunk.found : await identifyKeys(reader, catalog, keys, types);
    for (const [i, scanned] of keys.entries()) {
      const plan = this.plan.families.get(identified[i]!.family?.id ?? '');
      if (!plan) continue;
      // A copy: the scanned key is a view of its chunk.
      const key = Buffer.from(scanned);
      this.waiting.push({ key, plan, params: plan.family.parse(key) ?? {} });
    }
    while (this.waiting.length >= KEYS_AT_ONCE) await this.check(this.waiting.splice(0, KEYS_AT_ONCE));
  }

  /** Checks the keys that still wait after the last chunk. */
  async finish(): Promise<void> {
    await this.check(this.waiting.splice(0));
  }

  private async check(found: readonly Found[]): Promise<void> {
    await this.checkMembers(found.filter(({ plan }) => plan.members.length > 0));
    await this.checkFields(found.filter(({ plan }) => plan.fields.length > 0));
  }

  private async checkMembers(found: readonly Found[]): Promise<void> {
    const shapes = await readShapes(
      this.ctx,
      found.map(({ key }) => key),
    );
    const leads = await readLeads(this.ctx, found, ({ members }) => members);
    const collections = found.flatMap((key, i) => this.collection(key, shapes[i]!, leads[i]!));
    await this.checkPartial(collections);
    const named = collections.filter(
      ({ shape, leads }) => shape.count !== 0 && leads.some(({ relation }) => relation.target),
    );
    const sizes = await this.sizes(named);
    const sized = named.map((collection, i) => ({ ...collection, bytes: sizes[i] ?? Infinity }));
    for (const group of groupsOf(sized.filter(({ bytes }) => bytes <= SMALL_BYTES)))
      await this.checkSmall(group);
    for (const large of sized.filter(({ bytes }) => bytes > SMALL_BYTES)) await this.checkLarge(large);
  }

  /** Counts a key, unless it is gone. Returns nothing for a key without members. */
  private collection(found: Found, shape: Shape, leads: Lead[]): Collection[] {
    const { key, plan } = found;
    if (shape.type === 'none') return [];
    const family = plan.family.id;
    this.counts.of(family).checked += 1;
    if (shape.fault === 'unreadable') this.counts.unreadable += 1;
    if (shape.fault === 'wrongType') {
      const detail = shape.type === 'string' ? 'a string that is no JSON array' : `a ${shape.type}`;
      this.addProblem('wrongType', found, detail, leads);
    }
    return shape.fault === null ? [{ key, plan, params: found.params, shape, leads }] : [];
  }

  private addProblem(
    problem: 'wrongType' | 'partial',
    { key, plan }: Found,
    detail: string,
    leads: readonly Lead[],
  ): void {
    const [lead] = leads;
    const owner = lead && lead.ownerId !== null ? { relation: lead.relation, id: lead.ownerId } : null;
    this.counts.add({ problem, family: plan.family.id, key, member: null, detail, owner });
  }

  /** Bytes of collections with few elements, in order; null for other collections. */
  private async sizes(collections: readonly Collection[]): Promise<(number | null)[]> {
    const isFew = ({ shape }: Collection): boolean => shape.count !== null && shape.count <= SMALL_ELEMENTS;
    const few = collections.filter(isFew);
    const replies: readonly unknown[] = await this.ctx.reader.readMany(
      few.map(({ key }): ReadCommand => ['MEMORY USAGE', key, 'SAMPLES', 0]),
    );
    const sizes = new Map(few.map(({ key }, i) => [key, replies[i]]));
    return collections.map(({ key }) => {
      const size = sizes.get(key);
      return typeof size === 'number' ? size : null;
    });
  }

  /** Compares the number of members with the count in the owner's record. */
  private async checkPartial(collections: readonly Collection[]): Promise<void> {
    const asked = collections.flatMap((collection) =>
      collection.leads.flatMap(({ relation, ownerId: id }) => {
        const { owner } = relation;
        const field = relation.relation.countField;
        if (!owner || field === undefined || id === null) return [];
        return [{ collection, field, record: { entity: owner, id, fields: [field] } }];
      }),
    );
    const records = await readRecordValues(
      this.ctx,
      asked.map(({ record }) => record),
    );
    const seen = new Set<Key>();
    for (const [i, { collection, field }] of asked.entries()) {
      const counted = countIn(records[i]?.values, field);
      const { count } = collection.shape;
      if (counted === null || count === null || count >= counted || seen.has(collection.key)) continue;
      seen.add(collection.key);
      this.addProblem('partial', collection, `${count} of ${counted}`, collection.leads);
    }
  }

  private async checkSmall(group: readonly Collection[]): Promise<void> {
    const members = await Promise.all(group.map(({ key, shape }) => allMembers(this.ctx, key, shape.type)));
    await this.checkAll(
      group.flatMap((collection, i) =>
        members[i]!.map((value) => referenceOf(collection, value, collection.leads)),
      ),
    );
  }

  private async checkLarge(one: Collection): Promise<void> {
    for await (const page of memberPages(this.ctx, one.key, one.shape.type))
      await this.checkAll(page.map((value) => referenceOf(one, value, one.leads)));
  }

  private async checkFields(found: readonly Found[]): Promise<void> {
    const records = await readStoredFields(
      this.ctx,
      found.map(({ key, plan }) => ({
        key,
        family: plan.family.id,
        fields: [...new Set(plan.fields.map(fieldOf))],
      })),
    );
    const leads = await readLeads(this.ctx, found, ({ fields }) => fields);
    await this.checkAll(found.flatMap((record, i) => this.fieldReferences(record, records[i]!, leads[i]!)));
  }

  private fieldReferences(found: Found, { type, fault, values }: StoredFields, leads: Lead[]): Reference[] {
    const { plan } = found;
    if (type === null && fault === null) return [];
    this.counts.of(plan.family.id).checked += 1;
    if (fault === 'unreadable') this.counts.unreadable += 1;
    if (fault === 'wrongType') {
      const detail = type === 'string' ? 'a string that is no JSON object' : `a ${type}`;
      this.addProblem('wrongType', found, detail, leads);
    }
    return [...values].map(([field, bytes]) => {
      const own = leads.filter(({ relation }) => fieldOf(relation) === field);
      return { ...referenceOf(found, { bytes, length: bytes.length }, own), field };
    });
  }

  private async checkAll(references: readonly Reference[]): Promise<void> {
    for (let from = 0; from < references.length; from += MAX_ELEMENTS)
      await checkReferences(this.ctx, this.counts, references.slice(from, from + MAX_ELEMENTS));
  }
}

const fieldOf = ({ relation: { from } }: CheckedRelation): string => ('field' in from ? from.field : '');

interface WalkOptions {
  signal: AbortSignal;
  /** Makes the counts when the walk begins, and again when it restarts because the server restarted. */
  begin(): CheckCounts;
  /** Awaited after each chunk; 0–1. */
  onShare(share: number): Promise<void>;
  isFaster?: () => boolean;
}

/** Participates in a walk over the keyspace and counts damage, within the scan budget. Changes nothing. */
export const walkCheck = async (
  { actor, catalog, connection }: Pick<ReadContext, 'actor' | 'catalog' | 'connection'>,
  plan: CheckPlan,
  { signal, begin, onShare, isFaster }: WalkOptions,
): Promise<void> => {
  const calls = pacedCalls(connection, signal, isFaster);
  const ctx = { actor, catalog, connection, calls, reader: pacedReader(connection, calls) };
  let check: Check | undefined;
  await joinWalk(connection, {
    part: 'entities',
    signal,
    isFaster,
    begin: () => {
      check = new Check(ctx, plan, begin());
      return check;
    },
    onShare: async (share) => {
      if (share === 1) await check!.finish();
      await onShare(share);
    },
  });
};
