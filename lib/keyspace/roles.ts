/**
 * `timeseries` is RedisTimeSeries' own type (TYPE answers `TSDB-TYPE`), `vectorset` one of Redis 8; `channel` is pub/sub
 * and has no key.
 */
export type FamilyType =
  | 'hash'
  | 'string'
  | 'set'
  | 'zset'
  | 'list'
  | 'stream'
  | 'timeseries'
  | 'vectorset'
  | 'channel';

/**
 * Where a key contains a fact: in a parameter, in a field of its hash or JSON object (`user.id` for a nested one), in
 * each member, or in the complete value.
 */
export type Part =
  | { readonly param: string; readonly prefix?: string }
  | {
      readonly field: string;
      /** Alternative names of the field, for keys in another format: the first existing one counts. */
      readonly or?: readonly string[];
      readonly unit?: TimeUnit;
      readonly format?: 'text' | 'json';
    }
  /** `token`: the member is the token; `key`: it is the complete key. */
  | { readonly member: 'text' | 'token' | 'key' }
  | { readonly value: 'text' | 'json' };

export type Parts = Readonly<Record<string, Part>>;

/** How a time is written: Unix seconds, Unix milliseconds, or ISO 8601 text. */
export type TimeUnit = 's' | 'ms' | 'iso';

export type PartKind = 'param' | 'field' | 'member' | 'value';

interface PartRule {
  readonly from: readonly PartKind[];
  readonly optional?: true;
  /** A time, so a `unit` is allowed. */
  readonly time?: true;
}

export interface RoleRule {
  readonly types: readonly FamilyType[];
  readonly parts: Readonly<Record<string, PartRule>>;
  /** A connection can have one family with this role: its page lists one kind of thing. */
  readonly single?: true;
  /** Invalidating needs `caches:invalidate-sensitive`. */
  readonly guarded?: true;
  /** The number of parameters in its pattern, where keys are composed of the parts alone. */
  readonly params?: number;
}

const named = { from: ['param'] } as const;
const read = { from: ['param', 'field'] } as const;
const fact = { from: ['param', 'field'], optional: true } as const;
const time = { from: ['param', 'field'], optional: true, time: true } as const;
const ANY_TYPE: readonly FamilyType[] = ['hash', 'string', 'set', 'zset', 'list', 'stream'];

/** The roles of families, and what they must declare. Roles determine pages and actions. */
export const ROLE_RULES = {
  session: {
    types: ['hash', 'string'],
    parts: {
      token: named,
      userId: read,
      /** The key's user id repeated in the value: a different one is damage. */
      sameUserId: { from: ['field'], optional: true },
      username: fact,
      createdAt: time,
      lastActivity: time,
      expiresAt: time,
      device: fact,
      address: fact,
    },
    single: true,
    guarded: true,
  },
  'session-index': {
    types: ['set', 'zset'],
    parts: { userId: named, token: { from: ['member'] } },
    single: true,
    guarded: true,
  },
  'legacy-session': {
    types: ['string', 'hash'],
    parts: { token: named, userId: named, username: { from: ['param'], optional: true } },
    single: true,
    guarded: true,
  },
  'access-token': {
    types: ['string'],
    parts: { userId: named, provider: named, createdAt: time },
    single: true,
    guarded: true,
  },
  'refresh-token': {
    types: ['string'],
    parts: { userId: named, provider: named, createdAt: time },
    single: true,
    guarded: true,
  },
  'sign-in-state': {
    types: ['hash', 'string'],
    parts: { token: named, provider: fact, createdAt: time },
    single: true,
    guarded: true,
  },
  'verification-token': {
    types: ['hash', 'string'],
    parts: { token: named, userId: read, type: fact, createdAt: time },
    guarded: true,
  },
  variable: {
    types: ['string'],
    parts: { name: named, flag: { from: ['param'], optional: true } },
    params: 1,
    single: true,
    guarded: true,
  },
  flag: { types: ['string'], parts: { name: named }, params: 1, single: true, guarded: true },
  cache: { types: ANY_TYPE, parts: {} },
  /** The application's own count of hits or misses of a cache, or another metric. */
  counter: { types: ['string'], parts: { name: named, period: named }, single: true },
  /** Several figures of the application for one period. */
  stats: { types: ['hash'], parts: { name: named, period: named } },
  /** A counter of the application, without a period. */
  count: { types: ['string'], parts: { name: fact } },
  bitmap: { types: ['string'], parts: { name: fact } },
  hyperloglog: { types: ['string'], parts: { name: fact } },
  'block-list': {
    types: ['set'],
    parts: { id: { from: ['member'] } },
    params: 0,
    single: true,
    guarded: true,
  },
  'ban-list': {
    types: ['set'],
    parts: { address: { from: ['member'] } },
    params: 0,
    single: true,
    guarded: true,
  },
  'request-counts': { types: ['hash'], parts: {}, params: 0, single: true },
  'period-request-counts': { types: ['hash'], parts: {}, params: 0, single: true },
  'rate-limit': { types: ['hash'], parts: {}, params: 0, single: true, guarded: true },
  'project-metrics': {
    types: ['timeseries'],
    parts: { metric: named, id: named, period: named },
    params: 3,
    single: true,
  },
  presence: { types: ['set'], parts: { userId: { from: ['member'] } }, params: 0, single: true },
  lock: {
    types: ['string', 'hash'],
    parts: { operation: fact, entityId: fact, owner: { from: ['field', 'value'], optional: true } },
    guarded: true,
  },
  state: { types: ['hash', 'string'], parts: { process: fact, id: fact } },
  queue: { types: ['list', 'zset', 'stream'], parts: { name: fact } },
  leaderboard: { types: ['zset'], parts: { name: fact } },
  marker: { types: ['string'], parts: {} },
  /** Messages in order: a chat, a room. */
  conversation: { types: ['list', 'zset'], parts: {} },
  /** Views of one publication, counted by the application. */
  'view-count': { types: ['string'], parts: { id: named }, params: 1, single: true },
  /** Imported views: publication → views, in addition to fields that begin with `_`. */
  'view-import': { types: ['hash'], parts: { at: named }, params: 1, single: true },
  /** The slug of a publication → its id, or its views. */
  'view-slugs': { types: ['hash'], parts: {}, params: 0, single: true },
} as const satisfies Record<string, RoleRule>;

export type FamilyRole = keyof typeof ROLE_RULES;

export const FAMILY_ROLES = Object.keys(ROLE_RULES) as FamilyRole[];

export const ruleOf = (role: FamilyRole): RoleRule => ROLE_RULES[role];

export const partKind = (part: Part): PartKind =>
  (['param', 'field', 'member', 'value'] as const).find((kind) => kind in part)!;

/** How many parameters a role's pattern must have instead; null for a valid one. */
export const paramsWanted = (role: FamilyRole, paramNames: readonly string[]): string | null => {
  const { params } = ruleOf(role);
  if (params === undefined || params === paramNames.length) return null;
  return params === 0 ? 'no parameters' : params === 1 ? 'one parameter' : `${params} parameters`;
};

/** Throws with the reason when a role's parts are missing, unknown, or in a place that cannot be read. */
export const checkRole = (
  role: FamilyRole,
  type: FamilyType,
  parts: Parts,
  paramNames: readonly string[],
): void => {
  const rule = ruleOf(role);
  const wanted = paramsWanted(role, paramNames);
  if (wanted) throw new Error(`the pattern of a ${role} has ${wanted}`);
  if (!rule.types.includes(type)) throw new Error(`a ${role} is a ${rule.types.join(' or ')}, not a ${type}`);
  for (const [name, { optional }] of Object.entries(rule.parts)) {
    if (!optional && !Object.hasOwn(parts, name)) throw new Error(`a ${role} needs the part ${name}`);
  }
  for (const [name, part] of Object.entries(parts)) {
    const allowed = Object.hasOwn(rule.parts, name) ? rule.parts[name] : undefined;
    if (!allowed) throw new Error(`a ${role} has no part ${name}`);
    const kind = partKind(part);
    if (!allowed.from.includes(kind))
      throw new Error(`the part ${name} of a ${role} is read from a ${allowed.from.join(' or ')}`);
    if ('param' in part && !paramNames.includes(part.param))
      throw new Error(`the part ${name} names {${part.param}}, which the pattern does not have`);
    if ('unit' in part && part.unit !== undefined && !allowed.time)
      throw new Error(`the part ${name} is no time and has no unit`);
  }
};
