import 'server-only';
import type { Family } from '@/lib/catalog/family';
import type { FamilyRole } from '@/lib/catalog/roles';
import { firstPart } from './key-name';
import type { KeyFacts, Use } from './rule';

/** What the document's prefixes are for: their use, and the types that suit it. */
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

/** What a key is for, by the role of its family or else by its prefix. */
export const documentedUse = (facts: KeyFacts): Use | null => {
  const { role } = facts.found.family ?? {};
  return role ? (USE_OF_ROLE[role] ?? null) : (ofPrefix(facts)?.use ?? null);
};

const typesOf = (family: Family): readonly string[] =>
  [family.type, ...(family.otherTypes ?? [])].map((type) => (type === 'timeseries' ? 'TSDB-TYPE' : type));

/** The types that suit a key; null where nothing says so. */
export const suitableTypes = (facts: KeyFacts): readonly string[] | null => {
  const { family } = facts.found;
  return family ? typesOf(family) : (ofPrefix(facts)?.types ?? null);
};

const ONLY_COPIES: readonly unknown[] = ['queue', 'conversation'];
const ONLY_COPY_PREFIXES: readonly string[] = ['queue', 'delayed'];

/** Whether elements of a collection may be nowhere else: waiting work, messages, what is declared persistent. */
export const mayBeOnlyCopy = (facts: KeyFacts): boolean => {
  const family = facts.found.family ?? facts.found.malformedOf;
  if (!family) return ONLY_COPY_PREFIXES.includes(firstPart(facts).toLowerCase());
  return family.ttl === 'persistent' || ONLY_COPIES.includes(family.role);
};
