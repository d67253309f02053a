import { catalogFor } from '@/lib/keyspace/apps-of';
import { type Ledger, ledgerOf } from './ledger';
import { type EventLimit, limitsOf } from './limits';
import { peopleOf, type User } from './people';
import { type Random, seededRandom } from './random';

export interface TrafficOptions {
  seed?: number;
  /** Every generated token and secret is appended here, one per line. */
  tokensFile?: string;
  /** Epoch milliseconds; the clock by default. */
  now?: () => number;
  /** Projects have limits on three levels instead of one for all. */
  levels?: boolean;
}

export interface Session {
  user: User;
  token: string;
}

/** The state of the simulated applications. Bounded: lists have fixed or limited lengths. */
export interface World {
  random: Random;
  ledger: Ledger;
  /** Unix seconds. */
  now(): number;
  people: User[];
  sessions: Session[];
  /** Ghosts, oldest first. */
  ghosts: Session[];
  projects: string[];
  blockedProjects: Set<string>;
  limitOf(project: string): EventLimit;
  /** X-Forwarded-For texts; the first is the noisy one. */
  addresses: string[];
  hits: number;
  misses: number;
}

export const PEOPLE = 300;
export const TOPICS = 40;
export const SHOUTS = 600;
export const PROJECTS = 24;
export const NOISY_ADDRESS = '198.51.100.23';

/** Limits of the demo's collector; the demo's connection has the same (scripts/demo.mjs). */
const EVENTS_LIMIT = 100;
const EVENTS_PERIOD_SECONDS = 60;
export const BLACKLIST_PERIOD_SECONDS = 15;

const catalog = catalogFor(['discours', 'hawk']);

/** Keys are built only through the catalog. */
export const key = (family: string, params: Record<string, string | number> = {}): Buffer =>
  catalog
    .mustGet(family)
    .key(Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])));

/** The words that a parameter of a family may be. */
const choicesOf = (family: string, param: string): readonly string[] => {
  const shape = catalog.mustGet(family).params[param]?.shape;
  if (shape?.kind !== 'words') throw new Error(`{${param}} of ${family} is no choice of words`);
  return shape.words;
};

export const OAUTH_PROVIDERS = choicesOf('discours.oauth-access', 'provider');
export const VERIFICATION_TYPES = choicesOf('discours.verification', 'type');

const addressesOf = (random: Random): string[] => [
  NOISY_ADDRESS,
  // X-Forwarded-For is used as received: chains, and any text from a client.
  '203.0.113.7, 10.0.0.2',
  'unknown',
  '2001:db8::17',
  ...Array.from({ length: 56 }, (_, i) => `${random.pick(['203.0.113', '192.0.2'])}.${10 + i * 4}`),
];

export const createWorld = (options: TrafficOptions = {}): World => {
  const random = seededRandom(options.seed ?? 1);
  const clock = options.now ?? Date.now;
  const projects = Array.from({ length: PROJECTS }, () => `67${random.hex(22)}`);
  const limits = options.levels ? limitsOf(projects) : new Map<string, EventLimit>();
  return {
    random,
    ledger: ledgerOf(random, options.tokensFile),
    now: () => Math.floor(clock() / 1000),
    people: peopleOf(random, PEOPLE),
    sessions: [],
    ghosts: [],
    projects,
    blockedProjects: new Set(projects.slice(-3)),
    limitOf: (project) =>
      limits.get(project) ?? { limit: EVENTS_LIMIT, periodSeconds: EVENTS_PERIOD_SECONDS },
    addresses: addressesOf(random),
    hits: 0,
    misses: 0,
  };
};
