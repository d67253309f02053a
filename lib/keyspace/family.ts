import { decodeSpan, encodeText } from './bytes';
import { escapeGlob } from './glob';
import type { Grammar } from './grammar';
import { compilePattern, fitsGrammar, matchPattern, type Pattern } from './pattern';
import { checkRole, type FamilyRole, type FamilyType, type Part, type Parts, ruleOf } from './roles';

/** Seconds. `persistent` must not expire; `none` has no TTL and is invalidated on change; `any` may be either. */
export type TtlPolicy =
  | { readonly seconds: number }
  | { readonly minSeconds: number; readonly maxSeconds: number }
  | 'persistent'
  | 'none'
  | 'any';

/** The longest TTL that a policy allows, seconds; null where it allows any or none. */
export const maxTtlOf = (ttl: TtlPolicy): number | null => {
  if (typeof ttl === 'string') return null;
  return 'seconds' in ttl ? ttl.seconds : ttl.maxSeconds;
};

export interface RelatedFamily {
  readonly family: string;
  /** Parameter of the related family → parameter of this one. */
  readonly params: Readonly<Record<string, string>>;
}

export interface FamilyDefinition {
  /** `{app}.{name}`, the name in kebab-case. */
  readonly id: string;
  readonly pattern: string;
  /** Keys as the application writes them, at least one. Tests check the catalog against them. */
  readonly examples?: readonly string[];
  readonly params?: Readonly<Record<string, Grammar>>;
  readonly type: FamilyType;
  /** Other accepted types, which are not reported as drift. */
  readonly otherTypes?: readonly FamilyType[];
  readonly ttl: TtlPolicy;
  /** Parameters that are secrets inside the key. */
  readonly sensitive?: readonly string[];
  /**
   * Fields that a hash with an ambiguous name must have, all non-empty, to belong to this family. Before the key is
   * read its family is a guess.
   */
  readonly identifyingFields?: readonly string[];
  /** Fields that the application writes into every hash: a hash without them has drifted. */
  readonly fields?: readonly string[];
  /** The complete value is a secret. */
  readonly sensitiveValue?: boolean;
  /** Fields (of a hash, or of the JSON object) that are secrets. */
  readonly sensitiveFields?: readonly string[];
  /** The parameter that is itself a full key, displayed by the rules of that key's family. */
  readonly innerKey?: string;
  readonly related?: readonly RelatedFamily[];
  /** What the members (of a set, zset or list) refer to: `param` of another family's keys. */
  readonly members?: { readonly family: string; readonly param: string };
  /** Names of variables that the application documents, so they should exist. */
  readonly expectedNames?: readonly string[];
  readonly title: string;
  readonly purpose: string;
  /** Its meaning to the console, which determines its page and actions. */
  readonly role?: FamilyRole;
  /** How the role's facts are read from a key. */
  readonly parts?: Parts;
  /** Whether invalidating needs `caches:invalidate-sensitive`. By default the role determines it. */
  readonly guarded?: boolean;
}

export type Params = Record<string, string>;

export interface Family extends FamilyDefinition {
  readonly app: string;
  readonly params: Readonly<Record<string, Grammar>>;
  readonly paramNames: readonly string[];
  readonly parts: Parts;
  readonly guarded: boolean;
  /** Safe to invalidate, because the application fills it again. */
  readonly cache: boolean;
  readonly compiled: Pattern;
  /** The key's bytes. Throws on missing or unknown parameters and outside a parameter's grammar. */
  key(params?: Readonly<Params>): Buffer;
  /**
   * A Redis glob for SCAN MATCH: known parameters literally, others as `*`. It may also match other families' keys, so
   * classify the results.
   */
  match(params?: Readonly<Partial<Params>>): string;
  /** How this part of its role is read; undefined if not declared. */
  part(name: string): Part | undefined;
  /** The parameters of a key of this family, or null. In a registry another family may take precedence. */
  parse(key: Uint8Array): Params | null;
}

export const paramsOf = (pattern: Pattern, key: Uint8Array, spans: Int32Array): Params => {
  const params: Params = {};
  for (let i = 0; i < pattern.params.length; i++) {
    const { name, grammar } = pattern.params[i]!;
    params[name] = decodeSpan(key, spans[2 * i]!, spans[2 * i + 1]!, grammar.ascii);
  }
  return params;
};

const parseKey = (pattern: Pattern, key: Uint8Array): Params | null => {
  const spans = new Int32Array(2 * pattern.params.length);
  return matchPattern(pattern, key, spans) ? paramsOf(pattern, key, spans) : null;
};

const checkParam = (id: string, pattern: Pattern, name: string, value: unknown): void => {
  const param = pattern.params.find((candidate) => candidate.name === name);
  if (param === undefined) throw new Error(`${id} has no parameter {${name}}`);
  // The message omits the value, which may be a secret.
  if (typeof value !== 'string' || !fitsGrammar(param.grammar, encodeText(value))) {
    throw new Error(`${id}: {${name}} is not ${param.grammar.description}`);
  }
};

const buildKey = (id: string, pattern: Pattern, params: Readonly<Params>): Buffer => {
  for (const [name, value] of Object.entries(params)) checkParam(id, pattern, name, value);
  const parts: Uint8Array[] = [pattern.literals[0]!];
  pattern.params.forEach(({ name }, i) => {
    if (!Object.hasOwn(params, name)) throw new Error(`${id}: parameter {${name}} is missing`);
    parts.push(encodeText(params[name]!), pattern.literals[i + 1]!);
  });
  const key = Buffer.concat(parts);
  const back = parseKey(pattern, key);
  if (back === null || pattern.params.some(({ name }) => back[name] !== params[name])) {
    throw new Error(`${id}: these parameters do not read back from the key they make`);
  }
  return key;
};

const buildGlob = (id: string, pattern: Pattern, params: Readonly<Partial<Params>>): string => {
  const literal = (i: number) =>
    escapeGlob(decodeSpan(pattern.literals[i]!, 0, pattern.literals[i]!.length, false));
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) checkParam(id, pattern, name, value);
  }
  return pattern.params.reduce((glob, { name }, i) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    return `${glob}${value === undefined ? '*' : escapeGlob(value)}${literal(i + 1)}`;
  }, literal(0));
};

const validateNames = (def: FamilyDefinition, names: readonly string[]): void => {
  if (!/^[a-z][a-z0-9-]*\.[a-z0-9]+(-[a-z0-9]+)*$/u.test(def.id))
    throw new Error('the id is not {app}.{name} in kebab-case');
  if (def.title.trim() === '' || def.purpose.trim() === '')
    throw new Error('title and purpose must say something');
  const own = [...(def.sensitive ?? []), ...(def.innerKey === undefined ? [] : [def.innerKey])];
  for (const name of own.concat((def.related ?? []).flatMap((related) => Object.values(related.params)))) {
    if (!names.includes(name)) throw new Error(`{${name}} is named but the pattern does not have it`);
  }
  if (def.identifyingFields && def.type !== 'hash')
    throw new Error('only a hash can be identified by its fields');
  if (def.fields && def.type !== 'hash') throw new Error('only a hash has fields');
  if (isCache(def) && def.guarded) throw new Error('a family is a cache or guarded, not both');
};

const isCache = ({ role }: Pick<FamilyDefinition, 'role'>): boolean => role === 'cache' || role === 'marker';

const validateTtl = (ttl: TtlPolicy): void => {
  if (typeof ttl === 'string') return;
  const [low, high] = 'seconds' in ttl ? [ttl.seconds, ttl.seconds] : [ttl.minSeconds, ttl.maxSeconds];
  if (!(Number.isInteger(low) && Number.isInteger(high) && low > 0 && high >= low)) {
    throw new Error('the TTL must be whole seconds above 0, the least not above the most');
  }
};

/** Declares a family and validates the declaration: throws with the family's id and the reason. */
export const family = (def: FamilyDefinition): Family => {
  try {
    const grammars = def.params ?? {};
    const compiled = compilePattern(def.pattern, grammars);
    const paramNames = compiled.params.map((param) => param.name);
    validateNames(def, paramNames);
    validateTtl(def.ttl);
    const parts = def.parts ?? {};
    if (def.role) checkRole(def.role, def.type, parts, paramNames);
    else if (def.parts) throw new Error('parts belong to a role, and there is none');
    return Object.freeze({
      ...def,
      app: def.id.slice(0, def.id.indexOf('.')),
      params: grammars,
      paramNames,
      parts,
      guarded: def.guarded ?? (def.role !== undefined && (ruleOf(def.role).guarded ?? false)),
      cache: isCache(def),
      compiled,
      key: (params: Readonly<Params> = {}) => buildKey(def.id, compiled, params),
      match: (params: Readonly<Partial<Params>> = {}) => buildGlob(def.id, compiled, params),
      part: (name: string) => (Object.hasOwn(parts, name) ? parts[name] : undefined),
      parse: (key: Uint8Array) => parseKey(compiled, key),
    });
  } catch (cause) {
    throw new Error(`Family ${def.id}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
};
