import { encodeText } from './bytes';
import { type EntityDefinition, ID_FACT, idGrammarOf, type KeySource, type PairDefinition } from './entities';
import type { Family, Params } from './family';
import { anyText, type Grammar } from './grammar';
import { fitsGrammar } from './pattern';
import type { Registry } from './registry';

/** The unambiguous name of an entity's kind. */
export const refOf = ({ app, kind }: Pick<EntityDefinition, 'app' | 'kind'>): string => `${app}.${kind}`;

/** Text that UTF-8 cannot represent would change in a key. */
const UNPAIRED = /\p{Surrogate}/u;

const fits = (grammar: Grammar, text: string): boolean =>
  !UNPAIRED.test(text) && fitsGrammar(grammar, encodeText(text));

const number = (digits: string): string => digits.replace(/^0+(?=\d)/u, '');

/** Whether `a` comes after `b`: by number where both are digits, else by bytes. */
const isAfter = (a: string, b: string): boolean => {
  const [first, second] = [number(a), number(b)];
  if (!/^\d+$/u.test(a) || !/^\d+$/u.test(b) || first === second)
    return Buffer.compare(encodeText(a), encodeText(b)) > 0;
  return first.length === second.length ? first > second : first.length > second.length;
};

const split = ({ separator }: PairDefinition, id: string): [string, string] | null => {
  const at = id.indexOf(separator);
  return at < 0 ? null : [id.slice(0, at), id.slice(at + separator.length)];
};

/** The id of two parts, sorted if unordered; null where they could not be parsed back. */
const join = (pair: PairDefinition, parts: readonly [string, string]): string | null => {
  const { grammars = [anyText, anyText], separator, unordered } = pair;
  if (!parts.every((part, i) => fits(grammars[i]!, part))) return null;
  const ordered = unordered && isAfter(...parts) ? [parts[1], parts[0]] : parts;
  const id = ordered.join(separator);
  const back = split(pair, id);
  return back?.[0] === ordered[0] && back?.[1] === ordered[1] ? id : null;
};

/** The canonical id: an unordered pair is sorted. Null for text that cannot be an id of this kind. */
export const canonicalId = (entity: Pick<EntityDefinition, 'id' | 'pair'>, id: string): string | null => {
  if (!entity.pair) return fits(idGrammarOf(entity), id) ? id : null;
  const parts = split(entity.pair, id);
  return parts && join(entity.pair, parts);
};

/**
 * The parameter sources of an id: `id`, and its pair's parts, in order. Null for text that cannot be an id of this
 * kind.
 */
export const partsOf = (
  entity: Pick<EntityDefinition, 'id' | 'pair'>,
  id: string,
): ReadonlyMap<string, string> | null => {
  const canonical = canonicalId(entity, id);
  if (canonical === null) return null;
  const parts = entity.pair ? split(entity.pair, canonical)! : [];
  return new Map([[ID_FACT, canonical], ...parts.map((part, i) => [entity.pair!.names[i]!, part] as const)]);
};

/** The id given by `id`, or by both parts of the pair; null without one. */
export const idOfParts = (
  entity: Pick<EntityDefinition, 'id' | 'pair'>,
  parts: Readonly<Record<string, string>>,
): string | null => {
  const [first, second] = entity.pair?.names.map((name) => parts[name]) ?? [];
  if (entity.pair && first !== undefined && second !== undefined) return join(entity.pair, [first, second]);
  const id = parts[ID_FACT];
  return id === undefined ? null : canonicalId(entity, id);
};

/**
 * The key of a source; null where the parts yield none, or one that belongs to another family (`topic:id:5` for a room
 * called 5).
 */
export const sourceKey = (
  registry: Pick<Registry, 'get' | 'locate'>,
  { family: id, params }: KeySource,
  parts: ReadonlyMap<string, string>,
): Buffer | null => {
  const family = registry.get(id);
  const values: Params = {};
  for (const [param, source] of Object.entries(params)) {
    const value = parts.get(source);
    if (value === undefined) return null;
    values[param] = value;
  }
  const key = family ? keyOrNull(family, values) : null;
  return key && registry.locate(key).family?.id === id ? key : null;
};

const keyOrNull = (family: Family, params: Params): Buffer | null => {
  try {
    return family.key(params);
  } catch {
    return null;
  }
};
