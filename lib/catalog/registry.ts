import { createLocator, type Located } from './classify';
import { type Family, type Params, paramsOf } from './family';
import { findOverlaps, type Overlap } from './overlaps';

export type Classification =
  | { readonly family: Family; readonly params: Params }
  /** `malformedOf`: the key has this family's prefix, but does not match its parameters. */
  | { readonly family: null; readonly malformedOf: Family | null };

export interface Registry {
  readonly families: readonly Family[];
  get(id: string): Family | undefined;
  /** For ids written in code: throws when there is no such family. */
  mustGet(id: string): Family;
  /** The family of a key and its parameters. Never throws; linear in the key's length. */
  classify(key: Uint8Array): Classification;
  /** As `classify`, with byte offsets instead of decoded parameters. The result is valid until the next call. */
  locate(key: Uint8Array): Located;
  /** Pairs of families that can both match one key, with such a key and the family it gets. */
  readonly overlaps: readonly Overlap[];
}

const checkRelated = (families: readonly Family[], byId: ReadonlyMap<string, Family>): void => {
  const apps = new Set(families.map((family) => family.app));
  for (const source of families) {
    for (const related of source.related ?? []) {
      const target = byId.get(related.family);
      // A relation to a family of an app that this registry excludes is simply not followed.
      if (target === undefined && !apps.has(related.family.slice(0, related.family.indexOf('.')))) continue;
      if (target === undefined)
        throw new Error(`Family ${source.id}: related ${related.family} does not exist`);
      const missing = target.paramNames.find((name) => !Object.hasOwn(related.params, name));
      const unknown = Object.keys(related.params).find((name) => !target.paramNames.includes(name));
      const wrong = missing ?? unknown;
      if (wrong !== undefined)
        throw new Error(`Family ${source.id}: related ${related.family}: wrong {${wrong}}`);
    }
  }
};

/** Combines families. Throws on a duplicate id and on a relation to a family or parameter that does not exist. */
export const createRegistry = (families: readonly Family[]): Registry => {
  const byId = new Map<string, Family>();
  for (const family of families) {
    if (byId.has(family.id)) throw new Error(`Family ${family.id} is declared twice`);
    byId.set(family.id, family);
  }
  checkRelated(families, byId);
  const locate = createLocator(families);
  return Object.freeze({
    families: Object.freeze([...families]),
    get: (id: string) => byId.get(id),
    mustGet: (id: string) => {
      const found = byId.get(id);
      if (found === undefined) throw new Error(`There is no family ${id}`);
      return found;
    },
    classify: (key: Uint8Array): Classification => {
      const { family, malformedOf, spans } = locate(key);
      return family === null
        ? { family, malformedOf }
        : { family, params: paramsOf(family.compiled, key, spans) };
    },
    locate,
    overlaps: findOverlaps(families, locate),
  });
};
