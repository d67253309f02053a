import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { type Census, readCensus } from '@/lib/history/census';
import { displayBytes } from '@/lib/keyspace/display';
import {
  type BranchDefinition,
  type EntityDefinition,
  factsOf,
  type KeySource,
  sourcesOf as keysOf,
  type RelationDefinition,
} from '@/lib/keyspace/entities';
import type { Family } from '@/lib/keyspace/family';
import { fingerprintOf } from '@/lib/keyspace/fingerprint';
import { maskSecrets } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import type { Part } from '@/lib/keyspace/roles';
import { ttlInWords } from '@/lib/keyspace/ttl-in-words';
import { isoOrNull } from '@/lib/time';
import { driftOf } from './drift';
import type { Catalog, CatalogFamily, catalogContracts } from './schema';
import { sourceNameOf, sourcesOf } from './sources';

/** The console's own keys are in its own store. */
const isShown = ({ app }: Pick<Family, 'app'>): boolean => app !== 'console';

const KINDS = ['param', 'field', 'member', 'value'] as const;

const partRow = (name: string, part: Part): CatalogFamily['parts'][number] => {
  const from = KINDS.find((kind) => kind in part)!;
  return { name, from, of: (part as Record<string, string>)[from]! };
};

const familyRow = (
  family: Family,
  census: Census | null,
  shadows: ReadonlyMap<string, string>,
  source: string | null,
): CatalogFamily => ({
  id: family.id,
  app: family.app,
  title: family.title,
  purpose: family.purpose,
  pattern: family.pattern,
  type: family.type,
  otherTypes: [...(family.otherTypes ?? [])],
  ttl: ttlInWords(family.ttl),
  role: family.role ?? null,
  parts: Object.entries(family.parts).map(([name, part]) => partRow(name, part)),
  sensitive: {
    params: [...(family.sensitive ?? [])],
    fields: [...(family.sensitiveFields ?? [])],
    value: family.sensitiveValue ?? false,
  },
  identifyingFields: [...(family.identifyingFields ?? [])],
  related: [...new Set((family.related ?? []).map(({ family: id }) => id))],
  cache: family.cache,
  guarded: family.guarded,
  keys: census && family.type !== 'channel' ? (census.families[family.id]?.keys ?? 0) : null,
  source,
  shadowedBy: shadows.get(family.id) ?? null,
});

/** The keys of a branch: facts in braces, `*` for any value. */
const targetText = (branch: BranchDefinition | KeySource, catalog: Registry): string => {
  if ('prefix' in branch) return `${branch.prefix}*`;
  const { params = {} } = branch;
  return catalog
    .mustGet(branch.family)
    .pattern.replace(/\{\{|\}\}|\{(\w+)\}/gu, (literal, name?: string) =>
      name === undefined ? literal : Object.hasOwn(params, name) ? `{${params[name]}}` : '*',
    );
};

type EntityRow = Catalog['entities'][number];
type RelationRow = EntityRow['relations'][number];

const relationRow = (
  { id, title, kind, from }: RelationDefinition,
  textOf: (source: KeySource) => string,
): RelationRow => {
  const row = { id, title, kind: kind ?? null };
  if ('field' in from) return { ...row, from: 'field', of: [from.field] };
  if ('parts' in from) return { ...row, from: 'parts', of: [...from.parts] };
  const how = 'members' in from ? 'members' : 'keys' in from ? 'keys' : 'memberOf';
  return { ...row, from: how, of: keysOf({ from }).map(textOf) };
};

const entityRow = (entity: EntityDefinition, catalog: Registry): EntityRow => {
  const textOf = (source: KeySource) => targetText(source, catalog);
  return {
    kind: entity.kind,
    app: entity.app,
    title: entity.title,
    facts: factsOf(entity).map(([, { title }]) => title),
    branches: entity.branches.map((branch) => ({
      id: branch.id,
      title: branch.title,
      target: targetText(branch, catalog),
    })),
    record: (entity.record?.keys ?? []).map(textOf),
    relations: (entity.relations ?? []).map((relation) => relationRow(relation, textOf)),
    conversation: (entity.conversation?.keys ?? []).map(textOf),
  };
};

const coverageOf = (catalog: Registry, census: Census | null): Catalog['coverage'] => {
  if (!census)
    return {
      keys: null,
      classified: null,
      unclassified: null,
      malformed: null,
      countedAt: null,
      current: false,
    };
  const { unclassified, malformed, finishedAt } = census;
  const classified = Object.values(census.families).reduce((sum, { keys }) => sum + keys, 0);
  return {
    keys: classified + unclassified + malformed,
    classified,
    unclassified,
    malformed,
    countedAt: isoOrNull(finishedAt),
    current: census.catalog === fingerprintOf(catalog),
  };
};

/** The catalog's own text may hold anything; an example of an overlap is made up, and may look like a secret. */
const shown = (text: string): string => maskSecrets(displayBytes(Buffer.from(text), 200), true);

/** catalog.get */
export const getCatalog = async (ctx: ReadContext): Promise<Result<typeof catalogContracts.get>> => {
  const { catalog, store, connection } = ctx;
  const census = await readCensus(store, connection.config.id).catch(() => null);
  const families = catalog.families.filter(isShown);
  const shadows = new Map(catalog.shadowed.map(({ family, by }) => [family.id, by.id]));
  const sourceName = sourceNameOf(connection);
  return {
    families: families.map((family) => familyRow(family, census, shadows, sourceName(family.app))),
    entities: catalog.entities.filter(isShown).map((entity) => entityRow(entity, catalog)),
    coverage: coverageOf(catalog, census),
    unclassified: census?.prefixes ?? [],
    overlaps: catalog.overlaps.map(({ families: both, example, winner }) => ({
      families: [...both],
      example: shown(example),
      winner,
    })),
    drift: families.flatMap((family) => {
      const counted = census?.families[family.id];
      return counted ? driftOf(family, counted) : [];
    }),
    sources: sourcesOf(connection, catalog),
  };
};
