import type { Family, Params } from './family';

/** The parts of a role that are parameters: their values without prefixes, by part. */
export const partsOf = (family: Family, params: Readonly<Params>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(family.parts).flatMap(([name, part]) => {
      if (!('param' in part)) return [];
      const value = params[part.param] ?? '';
      const { prefix = '' } = part;
      return value.startsWith(prefix) ? [[name, value.slice(prefix.length)]] : [];
    }),
  );

/** The inverse: the parameters of a key by the values of its parts. */
export const paramsOfParts = (family: Family, values: Readonly<Record<string, string>>): Params =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const part = family.part(name);
      return part && 'param' in part ? [[part.param, (part.prefix ?? '') + value]] : [];
    }),
  );
