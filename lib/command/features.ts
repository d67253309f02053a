import 'server-only';
import type { FamilyRole } from '@/lib/keyspace/roles';

/** The purposes for which a Redis user gets permissions. */
export type Use = 'read' | 'sessions' | 'flags' | 'caches' | 'windows' | 'guard' | 'keys' | 'live';

/** A feature of the console, and the commands that it needs. */
export interface Feature {
  id: string;
  title: string;
  use: Use;
  /**
   * Operations that are refused in advance where a needed command is missing. Other operations answer with what they
   * can read.
   */
  operations: readonly string[];
  needs: readonly string[];
  /** `scripts`: read-only scripts, without which it reads with `plain` commands. `commands`: they add facts. */
  better?: { scripts?: true; plain?: readonly string[]; commands?: readonly string[] };
  /** `growth` needs memory on the server; `shrink` does not; `noKeys` changes something else. */
  changes?: 'growth' | 'shrink' | 'noKeys';
  /** The families whose keys it needs, among those of the applications. Not offered without any of them. */
  roles?: readonly FamilyRole[];
  /** Reads or changes keys of any family. */
  anyKey?: true;
}

const SCRIPT = ['EVALSHA', 'EVAL'] as const;
const FACTS = ['SCAN', 'TYPE', 'PTTL'] as const;
const STRINGS = ['TYPE', 'PTTL', 'STRLEN', 'GETRANGE', 'EXISTS'] as const;
const SESSIONS = ['SCAN', 'EXISTS', 'PTTL', 'HLEN', 'HMGET', 'HSTRLEN', 'SISMEMBER', 'SSCAN'] as const;
const SESSION_KEYS = ['session', 'session-index', 'legacy-session'] as const;
const byScripts = (...plain: string[]): Pick<Feature, 'better'> => ({ better: { scripts: true, plain } });

interface Declared extends Omit<Feature, 'use' | 'operations'> {
  /** None by default. */
  operations?: readonly string[];
}

const FEATURES_BY_USE: Record<Use, readonly Declared[]> = {
  read: [
    { id: 'figures', title: 'Figures and hit rate of the server', needs: ['INFO'] },
    { id: 'nodes', title: 'Nodes with their memory and keys', needs: ['INFO'] },
    {
      id: 'server',
      title: 'State of the server',
      needs: ['INFO'],
      better: { commands: ['CONFIG GET', 'MEMORY DOCTOR'] },
    },
    {
      id: 'slowlog',
      title: 'Slow log',
      needs: ['SLOWLOG GET', 'SLOWLOG LEN'],
      better: { commands: ['CONFIG GET'] },
    },
    { id: 'latency', title: 'Latency events', needs: ['LATENCY LATEST', 'LATENCY HISTORY'] },
    { id: 'commandstats', title: 'Command statistics', needs: ['INFO'] },
    { id: 'clients', title: 'List of clients', needs: ['CLIENT LIST'] },
    {
      id: 'diagnostics',
      title: 'Diagnostics of memory and traffic',
      needs: ['INFO'],
      better: { commands: ['MEMORY STATS', 'MEMORY USAGE', 'SLOWLOG GET'] },
    },
    {
      anyKey: true,
      id: 'keys',
      title: 'Browse and search keys',
      operations: ['keys.list', 'keys.groups'],
      needs: FACTS,
      better: { commands: ['MEMORY USAGE'] },
    },
    {
      anyKey: true,
      id: 'key',
      title: 'Show a key',
      operations: ['keys.get', 'keys.reveal'],
      needs: ['TYPE', 'PTTL'],
      better: { scripts: true, commands: ['MEMORY USAGE', 'OBJECT ENCODING'] },
    },
    {
      anyKey: true,
      id: 'census',
      title: 'Count of keys per family',
      needs: FACTS,
      better: { scripts: true, commands: ['MEMORY USAGE'] },
    },
    {
      anyKey: true,
      id: 'analysis',
      title: 'Analysis of the keyspace',
      operations: ['analysis.start'],
      needs: FACTS,
      better: { scripts: true, commands: ['MEMORY USAGE', 'OBJECT ENCODING'] },
    },
    {
      anyKey: true,
      id: 'conventions',
      title: 'Check of conventions',
      operations: ['conventions.check'],
      needs: FACTS,
      better: { scripts: true, commands: ['MEMORY USAGE'] },
    },
    {
      anyKey: true,
      id: 'catalog',
      title: 'Proposal of a catalog',
      operations: ['catalog.infer'],
      needs: ['SCAN', 'TYPE'],
    },
    {
      anyKey: true,
      id: 'export',
      title: 'Export keys',
      operations: ['keys.export'],
      needs: ['TYPE', 'PTTL', 'DUMP', 'MEMORY USAGE'],
    },
    {
      id: 'locks',
      title: 'List of locks',
      operations: ['locks.list'],
      needs: FACTS,
      ...byScripts(),
      roles: ['lock'],
    },
  ],
  sessions: [
    {
      id: 'sessions-user',
      title: 'Sessions and tokens of a user',
      operations: ['sessions.user'],
      needs: SESSIONS,
      ...byScripts('TYPE', 'STRLEN', 'GETRANGE'),
      roles: [...SESSION_KEYS, 'access-token', 'refresh-token', 'verification-token'],
    },
    {
      id: 'sessions',
      title: 'List and search sessions',
      operations: ['sessions.list', 'sessions.search', 'sessions.stats'],
      needs: SESSIONS,
      ...byScripts('TYPE'),
      roles: SESSION_KEYS,
    },
    {
      id: 'sessions-revoke',
      title: 'Revoke sessions',
      operations: ['sessions.revoke'],
      needs: [...SESSIONS, ...SCRIPT, 'HGET', 'SREM', 'UNLINK'],
      ...byScripts('TYPE'),
      changes: 'shrink',
      roles: SESSION_KEYS,
    },
    {
      id: 'sessions-repair',
      title: 'Repair sessions',
      operations: ['sessions.repair'],
      needs: [...SESSIONS, ...SCRIPT, 'SREM', 'UNLINK', 'HEXISTS'],
      ...byScripts('TYPE', 'SCARD'),
      changes: 'shrink',
      roles: SESSION_KEYS,
    },
    {
      id: 'tokens',
      title: 'List tokens',
      operations: ['tokens.oauth.list', 'tokens.oauthStates.list', 'tokens.verification.list'],
      needs: ['SCAN', 'PTTL', 'EXISTS', 'HSTRLEN'],
      ...byScripts('STRLEN', 'GETRANGE'),
      roles: ['access-token', 'sign-in-state', 'verification-token'],
    },
    {
      id: 'tokens-revoke',
      title: 'Revoke tokens',
      operations: ['tokens.oauth.revoke', 'tokens.oauthStates.revoke', 'tokens.verification.revoke'],
      needs: ['SCAN', 'PTTL', 'EXISTS', 'HSTRLEN', 'UNLINK'],
      ...byScripts('STRLEN', 'GETRANGE'),
      changes: 'shrink',
      roles: ['access-token', 'sign-in-state', 'verification-token'],
    },
  ],
  flags: [
    {
      id: 'flags',
      title: 'Read flags',
      operations: ['flags.list', 'ofrep.evaluateAll', 'ofrep.evaluate'],
      needs: ['SCAN', ...STRINGS],
      roles: ['variable'],
    },
    {
      id: 'flags-set',
      title: 'Set and create flags',
      operations: ['flags.set', 'flags.create', 'flags.approve'],
      needs: [...STRINGS, ...SCRIPT, 'GET', 'SET'],
      changes: 'growth',
      roles: ['variable'],
    },
    {
      id: 'flags-delete',
      title: 'Delete flags',
      operations: ['flags.delete'],
      needs: [...STRINGS, ...SCRIPT, 'GET', 'DEL'],
      changes: 'shrink',
      roles: ['variable'],
    },
    {
      id: 'variables',
      title: 'Read and back up variables',
      operations: ['env.list', 'env.reveal', 'env.export', 'env.backup'],
      needs: ['SCAN', ...STRINGS],
      roles: ['variable'],
    },
    {
      id: 'variables-set',
      title: 'Set, import and restore variables',
      operations: ['env.set', 'env.create', 'env.import', 'env.restore'],
      needs: [...STRINGS, ...SCRIPT, 'SET', 'PERSIST'],
      changes: 'growth',
      roles: ['variable'],
    },
    {
      id: 'variables-rename',
      title: 'Rename variables',
      operations: ['env.rename'],
      needs: [...STRINGS, ...SCRIPT, 'RENAME'],
      changes: 'growth',
      roles: ['variable'],
    },
    {
      id: 'variables-delete',
      title: 'Delete variables',
      operations: ['env.delete'],
      needs: [...STRINGS, ...SCRIPT, 'UNLINK'],
      changes: 'shrink',
      roles: ['variable'],
    },
  ],
  caches: [
    {
      anyKey: true,
      id: 'caches-preview',
      title: 'Preview an invalidation',
      operations: ['families.preview'],
      needs: ['SCAN'],
      better: { commands: ['MEMORY USAGE'] },
    },
    {
      anyKey: true,
      id: 'caches-invalidate',
      title: 'Invalidate caches',
      operations: ['families.invalidate'],
      needs: ['SCAN', 'UNLINK', ...SCRIPT, 'DUMP', 'MEMORY USAGE'],
      changes: 'shrink',
    },
    {
      anyKey: true,
      id: 'caches-ttl',
      title: 'Set TTLs of caches',
      operations: ['families.setTtl'],
      needs: ['SCAN', ...SCRIPT, 'PEXPIREAT', 'TIME'],
      changes: 'shrink',
    },
    {
      anyKey: true,
      id: 'conventions-fix',
      title: 'Fix conventions',
      operations: ['conventions.fix'],
      needs: [...FACTS, ...SCRIPT],
      ...byScripts(),
      changes: 'shrink',
    },
  ],
  windows: [
    {
      id: 'windows',
      title: 'Hit rates per family by windows',
      operations: ['hitRates.sample'],
      needs: ['MONITOR', 'PSUBSCRIBE', 'SUBSCRIBE', 'PUBLISH', 'MULTI', 'EXEC', 'ECHO', 'TIME', 'INFO'],
      better: { commands: ['CONFIG GET', 'CONFIG SET', 'CLIENT LIST'] },
    },
    {
      id: 'profiler',
      title: 'Profile of all commands',
      operations: ['profiler.start'],
      needs: ['MONITOR'],
      better: { commands: ['INFO', 'CLIENT LIST', 'SLOWLOG GET'] },
    },
  ],
  guard: [
    {
      id: 'guard',
      title: 'Banned addresses and blocked projects',
      operations: ['guard.blacklist.list', 'guard.projects.list'],
      needs: ['SCARD', 'SSCAN'],
      roles: ['ban-list', 'block-list'],
    },
    {
      id: 'guard-add',
      title: 'Ban addresses and block projects',
      operations: ['guard.blacklist.add', 'guard.projects.block'],
      needs: ['SCARD', 'SADD'],
      changes: 'growth',
      roles: ['ban-list', 'block-list'],
    },
    {
      id: 'guard-remove',
      title: 'Lift bans and unblock projects',
      operations: ['guard.blacklist.remove', 'guard.projects.unblock'],
      needs: ['SCARD', 'SREM'],
      changes: 'shrink',
      roles: ['ban-list', 'block-list'],
    },
    {
      id: 'traffic',
      title: 'Traffic per address',
      operations: ['guard.ips.top'],
      needs: ['HLEN', 'HSCAN', 'EXISTS'],
      ...byScripts(),
      roles: ['request-counts'],
    },
    {
      id: 'limits',
      title: 'Rate limits',
      operations: ['guard.rateLimits.list', 'guard.rateLimits.whatIf'],
      needs: ['HLEN', 'HSCAN', 'HMGET', 'EXISTS'],
      roles: ['rate-limit'],
    },
    {
      id: 'limits-reset',
      title: 'Reset rate limits',
      operations: ['guard.rateLimits.reset'],
      needs: [...SCRIPT, 'TYPE', 'HGET', 'HDEL'],
      changes: 'shrink',
      roles: ['rate-limit'],
    },
    {
      id: 'limits-repair',
      title: 'Repair rate limits',
      operations: ['guard.rateLimits.repair'],
      needs: [...SCRIPT, 'TYPE', 'HGET', 'HSET'],
      changes: 'growth',
      roles: ['rate-limit'],
    },
  ],
  keys: [
    {
      anyKey: true,
      id: 'keys-change',
      title: 'Create and edit keys',
      operations: ['keys.create', 'keys.update'],
      needs: [...SCRIPT, 'TYPE', 'SET'],
      changes: 'growth',
    },
    {
      anyKey: true,
      id: 'keys-ttl',
      title: 'Set the TTL of a key',
      operations: ['keys.setTtl'],
      needs: [...SCRIPT, 'TYPE', 'PEXPIREAT', 'PERSIST', 'TIME'],
      changes: 'shrink',
    },
    {
      anyKey: true,
      id: 'keys-move',
      title: 'Rename and duplicate keys',
      operations: ['keys.rename', 'keys.duplicate'],
      needs: [...SCRIPT, 'TYPE', 'RENAMENX', 'COPY'],
      changes: 'growth',
    },
    {
      anyKey: true,
      id: 'keys-delete',
      title: 'Delete a key',
      operations: ['keys.delete'],
      needs: [...SCRIPT, 'TYPE', 'UNLINK'],
      changes: 'shrink',
    },
    {
      anyKey: true,
      id: 'keys-import',
      title: 'Import keys',
      operations: ['keys.import'],
      needs: [...SCRIPT, 'RESTORE'],
      changes: 'growth',
    },
    {
      id: 'locks-release',
      title: 'Release locks',
      operations: ['locks.release'],
      needs: [...SCRIPT, 'TYPE', 'UNLINK'],
      changes: 'shrink',
      roles: ['lock'],
    },
    {
      id: 'messages-delete',
      title: 'Delete messages of conversations',
      operations: ['conversations.deleteMessage'],
      needs: [...SCRIPT, 'TYPE', 'UNLINK'],
      changes: 'shrink',
      roles: ['conversation'],
    },
    {
      id: 'presence-change',
      title: 'Set users offline',
      operations: ['presence.setOffline'],
      needs: [...SCRIPT, 'TYPE', 'PTTL'],
      changes: 'shrink',
      roles: ['presence'],
    },
    {
      id: 'clients-kill',
      title: 'Disconnect clients',
      operations: ['clients.kill'],
      needs: ['CLIENT LIST', 'CLIENT KILL'],
      changes: 'noKeys',
    },
  ],
  live: [
    {
      id: 'channels',
      title: 'List channels',
      operations: ['channels.list'],
      needs: ['PUBSUB CHANNELS', 'PUBSUB NUMSUB'],
    },
    {
      id: 'tail',
      title: 'Watch messages',
      operations: ['channels.tail'],
      needs: ['SUBSCRIBE', 'PSUBSCRIBE'],
    },
    {
      id: 'publish',
      title: 'Publish messages',
      operations: ['channels.publish'],
      needs: ['PUBLISH'],
      changes: 'noKeys',
    },
  ],
};

export const FEATURES: readonly Feature[] = (Object.keys(FEATURES_BY_USE) as Use[]).flatMap((use) =>
  FEATURES_BY_USE[use].map((feature) => ({ use, operations: [], ...feature })),
);

export const featureOf: ReadonlyMap<string, Feature> = new Map(
  FEATURES.flatMap((feature) => feature.operations.map((operation) => [operation, feature] as const)),
);

/** The commands that a walk over a cluster needs in addition to SCAN, to notice moving slots. */
const OF_CLUSTER = ['CLUSTER SLOTS', 'CLUSTER NODES', 'CLUSTER COUNTKEYSINSLOT'] as const;

export const needsOf = ({ needs }: Feature, { isCluster }: { isCluster: boolean }): readonly string[] =>
  isCluster && needs.includes('SCAN') ? [...needs, ...OF_CLUSTER] : needs;

export const COMMANDS: readonly string[] = [
  ...new Set([
    ...OF_CLUSTER,
    ...FEATURES.flatMap(({ needs, better }) => [
      ...needs,
      ...(better?.plain ?? []),
      ...(better?.commands ?? []),
    ]),
  ]),
];
