import type { Family } from './family';

/** A fault of an entity, and its place in the definition. */
export interface EntityFault {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** Runs a check that throws the reason, and records it as a fault at this place. */
export type At = (path: EntityFault['path'], check: () => void) => void;

export const collector = (): { readonly faults: EntityFault[]; readonly at: At } => {
  const faults: EntityFault[] = [];
  const at: At = (path, check) => {
    try {
      check();
    } catch (error) {
      faults.push({ path, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  return { faults, at };
};

export const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/u;
/** The name of a fact, or of a part of a pair. */
export const SOURCE_NAME = /^[a-z][A-Za-z0-9]{0,39}$/u;

export type Families = Pick<ReadonlyMap<string, Family>, 'get'>;

export const mustHave = (families: Families, id: string): Family => {
  const family = families.get(id);
  if (!family) throw new Error(`there is no family ${id}`);
  if (family.app === 'console') throw new Error(`${id} is a family of the console's own`);
  if (family.type === 'channel') throw new Error(`${id} is a channel and has no keys`);
  return family;
};

export const checkParams = (
  family: Family,
  params: Readonly<Record<string, string>>,
  known: readonly string[],
): void => {
  for (const [param, source] of Object.entries(params)) {
    if (!family.paramNames.includes(param)) throw new Error(`${family.id} has no parameter {${param}}`);
    if (!known.includes(source))
      throw new Error(`{${param}} of ${family.id} is read from ${source}, which is not known there`);
  }
};

export const isSecretField = ({ sensitiveValue, sensitiveFields }: Family, field: string): boolean =>
  sensitiveValue === true || (sensitiveFields?.includes(field) ?? false);
