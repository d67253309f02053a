import { checkEntity } from './check-entity';
import { createLocator, type Located } from './classify';
import { type EntityDefinition, familiesOf } from './entities';
import { type Family, type Params, paramsOf } from './family';
import { findOverlaps, type Overlap } from './overlaps';
import { relationFault } from './relations';
import { type FamilyRole, ruleOf } from './roles';

export type Classification =
  | { readonly family: Family; readonly params: Params }
  /** `malformedOf`: the key has this family's prefix, but does not match its parameters. */
  | { readonly family: null; readonly malformedOf: Family | null };

export interface Registry {
  readonly families: readonly Family[];
  get(id: string): Family | undefined;
  /** For ids in code: throws when no such family exists. */
  mustGet(id: string): Family;
  /** The family of a role; of several, the first of `withRole`. */
  role(role: FamilyRole): Family | undefined;
  /** All families of a role, in the order of declaration, without those in `shadowed`. */
  withRole(role: FamilyRole): readonly Family[];
  /** The roles of the families in force, which determine a connection's pages. */
  readonly roles: ReadonlySet<FamilyRole>;
  /** Families whose role belongs to another family (`by`): they are classified, but have no page. */
  readonly shadowed: readonly { readonly family: Family; readonly by: Family }[];
  /** In the order of declaration. Several applications may have one kind (user); a team's own one replaces them. */
  readonly entities: readonly EntityDefinition[];
  /** By kind, or by `{app}.{kind}`. Also undefined where several applications have that kind. */
  entity(kind: string): EntityDefinition | undefined;
  /** All entities of a kind; by `{app}.{kind}` at most one. */
  entitiesOf(kind: string): readonly EntityDefinition[];
  /** The family of a key and its parameters. Never throws; linear in the key's length. */
  classify(key: Uint8Array): Classification;
  /** Like `classify`, with byte offsets instead of decoded parameters. The result is valid until the next call. */
  locate(key: Uint8Array): Located;
  /** Pairs of families that can both match one key, with such a key and the family it gets. */
  readonly overlaps: readonly Overlap[];
}

const checkMembers = (
  { id, members }: Family,
  byId: ReadonlyMap<string, Family>,
  apps: ReadonlySet<string>,
): void => {
  if (!members || !apps.has(members.family.slice(0, members.family.indexOf('.')))) return;
  const target = byId.get(members.family);
  if (!target) throw new Error(`Family ${id}: its members name ${members.family}, which does not exist`);
  if (!target.paramNames.includes(members.param))
    throw new Error(`Family ${id}: its members name {${members.param}}, which ${target.id} does not have`);
};

const checkRelated = (families: readonly Family[], byId: ReadonlyMap<string, Family>): void => {
  const apps = new Set(families.map((family) => family.app));
  for (const source of families) {
    for (const related of source.related ?? []) {
      const fault = relationFault(source, related);
      if (fault) throw new Error(`Family ${source.id}: related ${related.family}: ${fault}`);
      const target = byId.get(related.family);
      // A relation to a family of an app outside this registry is not followed.
      if (target === undefined && !apps.has(related.family.slice(0, related.family.indexOf('.')))) continue;
      if (target === undefined)
        throw new Error(`Family ${source.id}: related ${related.family} does not exist`);
      const missing = target.paramNames.find((name) => !Object.hasOwn(related.params, name));
      const unknown = Object.keys(related.params).find((name) => !target.paramNames.includes(name));
      const wrong = missing ?? unknown;
      if (wrong !== undefined)
        throw new Error(`Family ${source.id}: related ${related.family}: wrong {${wrong}}`);
    }
    checkMembers(source, byId, apps);
  }
};

/**
 * The families of each role in force. A role that a connection has once belongs to a team's own family, else to the
 * first known application. Throws where two own families have it.
 */
const assignRoles = (families: readonly Family[], isOwn: (family: Family) => boolean) => {
  const byRole = new Map<FamilyRole, Family[]>();
  const shadowed: { family: Family; by: Family }[] = [];
  const ordered = [...families].sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  for (const family of ordered) {
    if (!family.role) continue;
    const others = byRole.get(family.role) ?? [];
    const [by] = others;
    if (by && ruleOf(family.role).single) {
      if (isOwn(by) && isOwn(family))
        throw new Error(`Families ${by.id} and ${family.id} both have the role ${family.role}`);
      shadowed.push({ family, by });
    } else byRole.set(family.role, [...others, family]);
  }
  return { byRole, shadowed };
};

/**
 * The entities in force. A team's own entity replaces those of known applications. An entity with a family of an app
 * outside this registry is omitted.
 */
const entitiesInForce = (
  entities: readonly EntityDefinition[],
  byId: ReadonlyMap<string, Family>,
  own: ReadonlySet<string>,
): EntityDefinition[] => {
  const apps = new Set([...byId.values()].map(({ app }) => app));
  const inForce: EntityDefinition[] = [];
  for (const entity of entities) {
    if (familiesOf(entity).some((id) => !apps.has(id.slice(0, id.indexOf('.'))))) continue;
    checkEntity(byId, entity, (kind) =>
      entities.find((other) => other.app === entity.app && other.kind === kind),
    );
    const isTwice = inForce.some(
      ({ kind, app }) =>
        kind === entity.kind && (app === entity.app || (own.has(app) && own.has(entity.app))),
    );
    if (isTwice) throw new Error(`Entity ${entity.kind} is declared twice`);
    inForce.push(entity);
  }
  const ofTeam = new Set(inForce.filter(({ app }) => own.has(app)).map(({ kind }) => kind));
  return inForce.filter(({ app, kind }) => own.has(app) || !ofTeam.has(kind));
};

/**
 * Combines families and entities; `own` are the apps of a team's own catalog. Throws on a duplicate id, on a relation
 * to an unknown family or parameter, and where two families claim a role that is unique.
 */
export const createRegistry = (
  families: readonly Family[],
  own: ReadonlySet<string> = new Set(),
  entities: readonly EntityDefinition[] = [],
): Registry => {
  const byId = new Map<string, Family>();
  for (const family of families) {
    if (byId.has(family.id)) throw new Error(`Family ${family.id} is declared twice`);
    byId.set(family.id, family);
  }
  checkRelated(families, byId);
  const { byRole, shadowed } = assignRoles(families, ({ app }) => own.has(app));
  const inForce = entitiesInForce(entities, byId, own);
  const entitiesOf = (kind: string) =>
    inForce.filter((entity) => entity.kind === kind || `${entity.app}.${entity.kind}` === kind);
  const locate = createLocator(families, own);
  let overlaps: readonly Overlap[] | undefined;
  return Object.freeze({
    families: Object.freeze([...families]),
    get: (id: string) => byId.get(id),
    mustGet: (id: string) => {
      const family = byId.get(id);
      if (family === undefined) throw new Error(`There is no family ${id}`);
      return family;
    },
    role: (role: FamilyRole) => byRole.get(role)?.[0],
    withRole: (role: FamilyRole) => byRole.get(role) ?? [],
    roles: new Set(byRole.keys()),
    shadowed,
    entities: Object.freeze(inForce),
    entity: (kind: string) => {
      const [found, other] = entitiesOf(kind);
      return other ? undefined : found;
    },
    entitiesOf,
    classify: (key: Uint8Array): Classification => {
      const { family, malformedOf, spans } = locate(key);
      return family === null
        ? { family, malformedOf }
        : { family, params: paramsOf(family.compiled, key, spans) };
    },
    locate,
    // Rarely needed, and slow for large catalogs.
    get overlaps() {
      overlaps ??= findOverlaps(families, locate);
      return overlaps;
    },
  });
};
