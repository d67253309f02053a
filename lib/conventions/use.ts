import 'server-only';
import type { Family } from '@/lib/keyspace/family';
import type { FamilyRole } from '@/lib/keyspace/roles';
import { firstPart } from './key-name';
import type { KeyFacts, Use } from './rule';

/** The use of the conventional prefixes, and the types that suit it. */
const PREFIXES: Readonly<Record<string, { use?: Use; types?: readonly string[] }>> = {
  cache: { use: 'cache', types: ['string', 'hash', 'list', 'set', 'zset'] },
  session: { use: 'session', types: ['string', 'hash'] },
  lock: { use: 'lock', types: ['string', 'hash'] },
  queue: { types: ['list', 'stream', 'zset'] },
  counter: { types: ['string', 'hash'] },
  rate: { types: ['string', 'hash', 'zset'] },
  tmp: { use: 'temporary' },
  recent: { types: ['list', 'zset'] },
  leaderboard: { types: ['zset'] },
  delayed: { types: ['zset'] },
  user: {},
};

export const DOCUMENT_PREFIXES = Object.keys(PREFIXES);

const USE_OF_ROLE: Partial<Record<FamilyRole, Use>> = {
  session: 'session',
  'access-token': 'session',
  'refresh-token': 'session',
  'sign-in-state': 'temporary',
  cache: 'cache',
  marker: 'cache',
  lock: 'lock',
};

const ofPrefix = (facts: KeyFacts) => {
  const first = firstPart(facts);
  return Object.hasOwn(PREFIXES, first) ? PREFIXES[first] : undefined;
};

/** A key's use, by the role of its family, otherwise by its prefix. */
export const documentedUse = (facts: KeyFacts): Use | null => {
  const { role } = facts.found.family ?? {};
  return role ? (USE_OF_ROLE[role] ?? null) : (ofPrefix(facts)?.use ?? null);
};

const typesOf = (family: Family): readonly string[] =>
  [family.type, ...(family.otherTypes ?? [])].map((type) => (type === 'timeseries' ? 'TSDB-TYPE' : type));

/** The types that suit a key; null where the use is unknown. */
export const suitableTypes = (facts: KeyFacts): readonly string[] | null => {
  const { family } = facts.found;
  return family ? typesOf(family) : (ofPrefix(facts)?.types ?? null);
};

const TRIMMED_ROLES: readonly unknown[] = ['cache', 'leaderboard'];
const TRIMMED_PREFIXES: readonly string[] = ['cache', 'recent', 'leaderboard'];

/**
 * Whether the elements of a collection are known to be copies, or to lose value with age. Other elements may exist
 * nowhere else, such as waiting work and messages.
 */
export const mayBeTrimmed = (facts: KeyFacts): boolean => {
  const family = facts.found.family ?? facts.found.malformedOf;
  if (!family) return TRIMMED_PREFIXES.includes(firstPart(facts));
  return family.ttl !== 'persistent' && TRIMMED_ROLES.includes(family.role);
};
