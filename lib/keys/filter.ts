import 'server-only';
import { badField, notFound } from '@/lib/errors';
import type { KeyIdentity } from '@/lib/key-values/identity';
import { matchesShown } from '@/lib/key-values/masked-match';
import { displayParams, escapeGlob, isPartlyExamined } from '@/lib/keyspace/display';
import type { Family, Params } from '@/lib/keyspace/family';
import { exactKeyOf, type GlobPart, globBytes, globParts, literalOf, matchesGlob } from '@/lib/keyspace/glob';
import { MASK } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import type { KeyFacts } from './rows';
import type { KeyFilter } from './schema';

/** A family of the catalog whose keys can be listed. Throws 404. */
export const listedFamily = (catalog: Registry, id: string): Family => {
  const family = catalog.get(id);
  if (!family || family.type === 'channel') throw notFound('This family');
  return family;
};

/** Parameters from `user_id=12&provider=google`. Throws 400 for unknown ones, and for what may be a secret. */
export const parseParams = (catalog: Registry, family: Family, text: string | undefined): Params => {
  const params: Params = {};
  for (const [name, value] of new URLSearchParams(text ?? '')) {
    if (!family.paramNames.includes(name))
      throw badField('params', `${family.pattern} has no parameter of this name.`);
    if (family.sensitive?.includes(name)) throw badField('params', `{${name}} is a secret.`);
    params[name] = value;
  }
  const shown = displayParams(family, params, catalog);
  for (const name of Object.keys(params))
    if (shown[name]!.includes(MASK)) throw badField('params', `This value of {${name}} may hold a secret.`);
  try {
    family.match(params);
  } catch {
    throw badField('params', `No key of ${family.pattern} has these values.`);
  }
  return params;
};

/**
 * Whether a key matches a glob. What is a secret in it, or may be one, matches `*` only: otherwise it could be found out
 * letter by letter.
 */
const matches = (parts: readonly GlobPart[], { key, secret, guessable, name }: KeyIdentity): boolean => {
  const isExact = parts.length === key.length && parts.every((part) => literalOf(part) !== null);
  const [isHidden, hasHiddenEnd] = [secret && (guessable || !isExact), isPartlyExamined(key)];
  return isHidden || hasHiddenEnd ? matchesShown(parts, name, hasHiddenEnd) : matchesGlob(parts, key);
};

/** A filter of keys, split into what the server, the name, and a read of the key decide. */
export interface KeySearch {
  /** The only key that can match; null where a scan is needed. */
  exact: Key | null;
  /** The glob for the scan. */
  glob: Buffer;
  /** Decides by the name, or leaves an ambiguous name to `accepts`. */
  mayAccept(key: Key): boolean;
  accepts(identity: KeyIdentity): boolean;
  /** Undefined where no read is needed to decide. */
  fits?: (facts: KeyFacts) => boolean;
}

const literalBytes = (glob: Uint8Array): number =>
  globParts(glob).filter((part) => part !== 'run' && literalOf(part) !== null).length;

/** The more specific of the globs that all matches fit. */
const narrowest = (globs: readonly Buffer[]): Buffer =>
  globs.reduce((best, glob) => (literalBytes(glob) > literalBytes(best) ? glob : best), Buffer.from('*'));

const factsFilter = (filter: KeyFilter): KeySearch['fits'] => {
  const { type, ttl, ttlBelowSeconds, minBytes, maxBytes } = filter;
  if ([type, ttl, ttlBelowSeconds, minBytes, maxBytes].every((one) => one === undefined)) return undefined;
  return (facts) =>
    (type === undefined || facts.type === type) &&
    (ttl === undefined || (ttl === 'none') === (facts.ttlSeconds === null)) &&
    (ttlBelowSeconds === undefined || (facts.ttlSeconds !== null && facts.ttlSeconds < ttlBelowSeconds)) &&
    (minBytes === undefined || (facts.memoryBytes ?? 0) >= minBytes) &&
    (maxBytes === undefined || (facts.memoryBytes !== null && facts.memoryBytes <= maxBytes));
};

interface FamilyPart {
  family: Family;
  params: Params;
  /** All names that may be a malformed key of the family. */
  malformed: boolean;
}

const familyPart = (catalog: Registry, { family: id, params, state }: KeyFilter): FamilyPart | null => {
  if (id === undefined && params !== undefined) throw badField('params', 'Parameters need their family.');
  if (id === undefined) return null;
  const family = listedFamily(catalog, id);
  return { family, params: parseParams(catalog, family, params), malformed: state === 'malformed' };
};

const globOf = ({ family, params, malformed }: FamilyPart): Buffer =>
  malformed
    ? Buffer.concat([escapeGlob(family.compiled.literals[0]!), Buffer.from('*')])
    : Buffer.from(family.match(params));

const exactOf = ({ family, params, malformed }: FamilyPart): Key | null =>
  !malformed && family.paramNames.every((name) => Object.hasOwn(params, name)) ? family.key(params) : null;

/** Resolves a filter. Throws 400 for parameters that do not fit, and 404 for an unknown family. */
export const resolveFilter = (catalog: Registry, filter: KeyFilter): KeySearch => {
  const part = familyPart(catalog, filter);
  const pattern = filter.match === undefined ? null : globBytes(filter.match);
  const parts = pattern && globParts(pattern);
  const wanted = part && Object.entries(part.params);
  return {
    exact: (part && exactOf(part)) ?? (parts && exactKeyOf(parts)),
    glob: narrowest([...(part ? [globOf(part)] : []), ...(pattern ? [pattern] : [])]),
    fits: factsFilter(filter),
    mayAccept: (key) => {
      if (!part && filter.state === undefined) return true;
      const { family, malformedOf, candidate } = catalog.locate(key);
      if (candidate) return true;
      if (part && (family ?? malformedOf) !== part.family) return false;
      return filter.state === undefined || (filter.state === 'classified') === (family !== null);
    },
    accepts: (identity) =>
      (!part || identity.family === part.family) &&
      identity.state === (filter.state ?? (part ? 'classified' : identity.state)) &&
      (!wanted || wanted.every(([name, value]) => identity.params[name] === value)) &&
      (!parts || matches(parts, identity)),
  };
};
