import 'server-only';
import { escapeGlob } from '@/lib/keyspace/display';
import { type Family, type Params, paramsOf } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { distinct } from '@/lib/redis/distinct';
import { scanPatterns } from '@/lib/redis/scan';
import { passPerConnection, SharedPass } from '@/lib/redis/shared-pass';
import { SECOND } from '@/lib/time';

/** Roles whose keys are few and listed together, in an order of their own: one scan finds all of them. */
export const LISTED_ROLES = [
  'lock',
  'state',
  'queue',
  'leaderboard',
  'counter',
  'stats',
  'count',
  'bitmap',
  'hyperloglog',
] as const;
export type ListedRole = (typeof LISTED_ROLES)[number];

/** With more keys of one role only so many are listed, and `RoleKeys.isComplete` is false. */
export const MAX_KEYS = 5000;

/** SCAN with a pattern costs the server less than reading a key. */
const TIMES = 4;
/** Short: whoever writes a lock and looks wants to see it. */
const SHARED_MS = SECOND / 4;
/** How long a reader waits for a newer pass before it gets the one before. */
const WAIT_MS = 3 * SECOND;

export interface RoleKey {
  key: Key;
  /** For a malformed key, the family it resembles. */
  family: Family;
  /** Null for a malformed key. */
  params: Params | null;
}

/** The keys of some roles, in the server's order. */
export interface RoleKeys {
  keys: readonly RoleKey[];
  /** False where there are more than `MAX_KEYS` of a role, or the first pass is still running. */
  isComplete: boolean;
  /** When the scan began and ended, epoch ms; null while the first one is running. */
  scannedFrom: number | null;
  foundAt: number | null;
}

interface Found {
  byRole: Map<ListedRole, RoleKey[]>;
  tooMany: Set<ListedRole>;
}

const emptyFound = (): Found => ({ byRole: new Map(), tooMany: new Set() });

const isListed = (role: Family['role']): role is ListedRole =>
  (LISTED_ROLES as readonly unknown[]).includes(role);

/** A lock is held, and a process runs, whatever its key is called after the prefix: `lock:nightly`, bytes. */
const hasMalformed = ({ role, pattern }: Family): boolean =>
  (role === 'lock' || role === 'state') && !pattern.startsWith('{');

const isListedMalformed = (family: Family, key: Key): boolean =>
  hasMalformed(family) && key.length > family.compiled.literals[0]!.length;

const globOf = (family: Family): string => {
  const [prefix] = family.pattern.split('{');
  return hasMalformed(family) ? `${escapeGlob(prefix!)}*` : family.match();
};

const add = (found: Found, role: ListedRole, key: RoleKey): void => {
  const keys = found.byRole.get(role);
  if (!keys) found.byRole.set(role, [key]);
  else if (keys.length < MAX_KEYS) keys.push(key);
  else found.tooMany.add(role);
};

const fill = async (handle: ConnectionHandle, catalog: Registry, found: Found): Promise<void> => {
  const families = LISTED_ROLES.flatMap((role) => catalog.withRole(role));
  const patterns = [...new Set(families.map(globOf))];
  if (patterns.length === 0) return;
  const isNew = distinct();
  for await (const { keys } of scanPatterns(handle, patterns, { times: TIMES })) {
    for (const key of keys) {
      const { family, malformedOf, spans } = catalog.locate(key);
      const named = family ?? (malformedOf && isListedMalformed(malformedOf, key) ? malformedOf : null);
      if (!named || !isListed(named.role) || !isNew(key)) continue;
      add(found, named.role, {
        key,
        family: named,
        params: family ? paramsOf(family.compiled, key, spans) : null,
      });
    }
  }
};

const passes = passPerConnection(
  'role keys',
  (handle, catalog: Registry) =>
    new SharedPass({
      handle,
      sharedMs: SHARED_MS,
      empty: emptyFound,
      fill: (found: Found) => fill(handle, catalog, found),
    }),
);

/**
 * The keys of these roles, found by one scan under the connection's budget that all readers of all roles share. In a
 * large keyspace the scan before the latest one is answered. Throws a 503 `Problem` where the server is unreachable.
 */
export const roleKeys = async (
  handle: ConnectionHandle,
  catalog: Registry,
  roles: readonly ListedRole[],
): Promise<RoleKeys> => {
  const { found, startedAt, finishedAt } = await passes.of(handle, catalog).current(WAIT_MS);
  return {
    keys: roles.flatMap((role) => found.byRole.get(role) ?? []),
    isComplete: finishedAt !== null && !roles.some((role) => found.tooMany.has(role)),
    scannedFrom: startedAt,
    foundAt: finishedAt,
  };
};
