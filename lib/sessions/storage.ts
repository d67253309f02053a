import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import type { Family } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import type { FamilyRole, TimeUnit } from '@/lib/keyspace/roles';
import { paramOf } from '@/lib/role-keys/part-in-key';
import { unitOf } from './times';

/** Where sessions are stored. */
export type Keyspace = Pick<ReadContext, 'catalog' | 'connection'>;

/** The facts read about a session, with the maximum bytes to load. */
export const FACT_LIMITS = {
  userId: 64,
  username: 1024,
  createdAt: 64,
  lastActivity: 64,
  device: 8192,
  address: 256,
  expiresAt: 64,
} as const;
export type FactName = keyof typeof FACT_LIMITS;
const FACT_NAMES = Object.keys(FACT_LIMITS) as FactName[];

/** A fact in the value: a field of a hash, or the path of a property in a JSON object. */
export interface StoredFact {
  name: FactName;
  field: string;
  path: readonly string[];
}

export interface IndexStorage {
  family: Family;
  type: 'set' | 'zset';
  /** Whether an entry is the session's token or its complete key. */
  member: 'token' | 'key';
}

/** How an application stores its sessions, by the declared parts of its families. */
export interface SessionStorage {
  family: Family;
  type: 'hash' | 'string';
  /**
   * The shape of a key: prefix, user and token; prefix and token; or another one, where only keys that match the
   * grammar can be read.
   */
  shape: 'user-token' | 'token' | 'other';
  head: Buffer;
  /** The bytes between user and token. */
  between: Buffer;
  tokenParam: string;
  /** Null where only the value contains the user. */
  userParam: string | null;
  facts: readonly StoredFact[];
  inKey: readonly { name: FactName; param: string }[];
  units: Readonly<Record<'createdAt' | 'lastActivity' | 'expiresAt', TimeUnit>>;
  deviceFormat: 'text' | 'json';
  /** Null where sessions are not indexed by user. */
  index: IndexStorage | null;
  /** Null without legacy sessions. */
  legacy: Family | null;
  /** Whether sessions should expire. */
  expires: boolean;
  /**
   * Hashes `prefix user separator token` with a set of tokens per user: scripts read and change them without reading
   * their values first.
   */
  classic: boolean;
}

/** The value of one session's key, without its index. */
export interface StoredValue {
  /** Whether it has the family's type and, as a string, is a JSON object within the size limit. */
  readable: boolean;
  /** PTTL's reply. */
  pttl: number;
  /** Number of fields of the hash, or of properties of the object. */
  fieldCount: number;
  /** A missing property is not stored. Null: stored but unreadable, for example because it is too long. */
  fields: Partial<Record<FactName, Buffer | null>>;
  /** The user in the value, where only the value contains it. */
  userId: string | null;
  /** Whether it may still contain a user: it is too long, or the user is a number that JSON rounds. */
  unread?: boolean;
  /** What `owned-session.lua` must find again before it changes the session: the owner, or the value as read. */
  owner: Buffer;
  /** The same for changes that depend on the complete value. */
  unchanged: Buffer;
}

const shapeOf = ({ paramNames, compiled }: Family, user: string | null, token: string) => {
  const isOpen = compiled.literals.at(-1)!.length === 0 && compiled.literals[0]!.length > 0;
  if (isOpen && paramNames.length === 2 && paramNames[0] === user && paramNames[1] === token)
    return 'user-token';
  return isOpen && paramNames.length === 1 && user === null ? 'token' : 'other';
};

/** The application's own families of a role: the same id in another application is another user. */
const sameApp = (catalog: Registry, role: FamilyRole, { app }: Family): Family | undefined =>
  catalog.withRole(role).find((family) => family.app === app);

/** Null where an entry could not be converted to a key, or a user to an index. */
const indexOf = (
  catalog: Registry,
  session: Family,
  own: readonly (string | null)[],
): IndexStorage | null => {
  const family = sameApp(catalog, 'session-index', session);
  const part = family?.part('token');
  if (!family || !part || !('member' in part) || family.paramNames.length !== 1) return null;
  const member = part.member === 'key' ? 'key' : 'token';
  if (member === 'token' && !session.paramNames.every((name) => own.includes(name))) return null;
  return { family, type: family.type as IndexStorage['type'], member };
};

const factsIn = (family: Family) => {
  const facts: StoredFact[] = [];
  const inKey: { name: FactName; param: string }[] = [];
  for (const name of FACT_NAMES) {
    const declared = family.part(name);
    const part = name === 'userId' && paramOf(family, name) !== null ? family.part('sameUserId') : declared;
    if (part && 'field' in part) facts.push({ name, field: part.field, path: part.field.split('.') });
    else if (part && 'param' in part) inKey.push({ name, param: part.param });
  }
  return { facts, inKey };
};

const build = (catalog: Registry, family: Family): SessionStorage => {
  const [userParam, tokenParam] = [paramOf(family, 'userId'), paramOf(family, 'token')!];
  const [head, between] = family.compiled.literals;
  const shape = shapeOf(family, userParam, tokenParam);
  const index = indexOf(catalog, family, [userParam, tokenParam]);
  const device = family.part('device');
  const type = family.type as SessionStorage['type'];
  const facts = factsIn(family);
  const isSetOfTokens =
    index === null ||
    (index.type === 'set' && index.member === 'token' && index.family.compiled.literals[1]!.length === 0);
  return {
    family,
    type,
    shape,
    tokenParam,
    userParam,
    index,
    ...facts,
    legacy: sameApp(catalog, 'legacy-session', family) ?? null,
    head: Buffer.from(head!),
    between: Buffer.from(between!),
    units: {
      createdAt: unitOf(family.part('createdAt')),
      lastActivity: unitOf(family.part('lastActivity')),
      expiresAt: unitOf(family.part('expiresAt')),
    },
    deviceFormat: device && 'format' in device && device.format ? device.format : 'text',
    expires: typeof family.ttl === 'object',
    classic: type === 'hash' && shape === 'user-token' && facts.inKey.length === 0 && isSetOfTokens,
  };
};

const known = new WeakMap<Registry, SessionStorage>();

/** How the connection's sessions are stored. Throws 404 where no catalog has sessions. */
export const storageOf = ({ catalog, connection }: Keyspace): SessionStorage => {
  const before = known.get(catalog);
  if (before) return before;
  const family = catalog.role('session');
  if (!family) throw notFound(`A session on connection "${connection.config.id}"`);
  const storage = build(catalog, family);
  known.set(catalog, storage);
  return storage;
};

/** The last activity: a value with only this fact is a ghost. Undefined where sessions store nothing else. */
export const ghostFact = (storage: SessionStorage): StoredFact | undefined =>
  storage.facts.length > 1 ? factIn(storage, 'lastActivity') : undefined;

/** The fact in the value; undefined where it is not declared, or is in the key. */
export const factIn = ({ facts }: SessionStorage, name: FactName): StoredFact | undefined =>
  facts.find((fact) => fact.name === name);
