import 'server-only';
import type { ChecklistId, RuleId, Severity } from './schema';

export interface RuleText {
  readonly title: string;
  readonly why: string;
  /** How it is evaluated. */
  readonly how: string;
  readonly remedy: string;
  readonly severity: Severity;
  readonly checklist: ChecklistId | null;
}

const naming = { checklist: 'naming' } as const;
const connections = { checklist: 'connections' } as const;
const error = { severity: 'error' } as const;
const warning = { severity: 'warning' } as const;
const info = { severity: 'info' } as const;
const none = { checklist: null } as const;

/** The rules as data, in the order of `RULE_IDS`. A policy may change a severity, but no text. */
export const RULE_TEXTS: Readonly<Record<RuleId, RuleText>> = {
  'name-format': {
    title: 'Names are {business}:{module}:{id}',
    why: 'Names with colons can be grouped, searched and permitted by prefix.',
    how: 'A name has at least two parts separated by colons; _ and / are not separators.',
    remedy: 'Write keys under a name with colons, then rename those that are stored.',
    ...warning,
    ...naming,
  },
  'name-case': {
    title: 'Names are lower case',
    why: 'Redis distinguishes case: two spellings are two keys.',
    how: 'The fixed words of a family, or all parts that are no ids, have no capital letters. Ids and tokens may.',
    remedy: 'Write keys under a lower-case name, then rename those that are stored.',
    ...warning,
    ...naming,
  },
  'name-empty-part': {
    title: 'No part of a name is empty',
    why: 'An empty part is usually an id that was missing when the key was written.',
    how: 'No two colons follow each other, and a name neither begins nor ends with one.',
    remedy: 'Find the writer that lacks the id; rename or delete what it wrote.',
    ...warning,
    ...naming,
  },
  'name-business': {
    title: 'Names begin with what they are for',
    why: 'A key that is only an id belongs to nobody and collides with others.',
    how: 'The first part is a word: it begins with a letter, is no id and does not look random.',
    remedy: 'Put the business before the id.',
    ...warning,
    ...naming,
  },
  'name-length': {
    title: 'Names are short',
    why: 'Each name is in memory and in each request.',
    how: 'A name has at most 128 characters, unless the policy sets another limit.',
    remedy: 'Shorten the id, for example to its digest.',
    ...warning,
    ...naming,
  },
  'name-known-prefix': {
    title: 'Names begin with a known prefix',
    why: 'Unknown prefixes are often leftovers, or keys of an application that nobody declared.',
    how: 'The first part is one of the document, of the catalog, or of the policy.',
    remedy: 'Declare the family in a catalog, or the prefix in the policy.',
    ...info,
    ...naming,
  },
  'ttl-required': {
    title: 'Every key expires',
    why: 'Keys without a TTL stay forever and fill the memory.',
    how: 'A key has a TTL, unless the catalog declares that it persists or stays until it is invalidated, or the policy that its TTL is optional.',
    remedy: 'Set the TTL where the key is written, and give stored keys one with jitter.',
    ...error,
    checklist: 'ttl',
  },
  'ttl-band': {
    title: 'TTLs suit their use',
    why: 'A cache that lives too long is stale; a session or a lock that does is a risk.',
    how: 'The remaining TTL is within the upper end of the band of its use. A TTL that was too short from the start cannot be seen from the remaining TTL.',
    remedy: 'Set a shorter TTL where the key is written, and shorten that of stored keys.',
    ...warning,
    checklist: 'ttl',
  },
  'ttl-jitter': {
    title: 'Expiry is spread',
    why: 'Keys that expire together are loaded again together, which overloads the database behind.',
    how: 'Of the keys of a family with at least a minute left, from 20 on, no larger share than the limit expires within one second.',
    remedy: 'Add a random offset to the TTL, and spread that of stored keys.',
    ...warning,
    checklist: 'cache-protection',
  },
  'type-by-use': {
    title: 'Types suit their use',
    why: 'A type other than intended is a bug in the writer, and commands on it fail.',
    how: 'The type is one that the catalog documents or, without a family, one that the prefix suggests.',
    remedy: 'Correct the writer, and delete or convert what it wrote.',
    ...warning,
    checklist: 'type',
  },
  'value-size': {
    title: 'No value is too large',
    why: 'Large values block the server and the network while they are read.',
    how: 'Bytes of a string, or the memory of another type as the server estimates it from a few elements; at most 1 MiB, unless the policy sets another limit.',
    remedy: 'Split or compress the value.',
    ...error,
    checklist: 'big-values',
  },
  'collection-length': {
    title: 'Collections are bounded',
    why: 'Reading or deleting a long collection blocks the server.',
    how: 'Elements of a list, set, sorted set, hash or stream; at most 10 000, unless the policy sets another limit.',
    remedy: 'Trim it where it is written (LTRIM, XTRIM, ZREMRANGEBYRANK), or split it.',
    ...warning,
    checklist: 'big-values',
  },
  'lock-ttl': {
    title: 'Locks expire',
    why: 'A lock without a TTL is held forever once its owner dies.',
    how: 'Each key of a lock family, or below lock:, has a TTL.',
    remedy: 'Take locks with SET NX EX, and give stored ones a TTL.',
    ...error,
    checklist: 'locks',
  },
  'lock-owner': {
    title: 'Locks name their owner',
    why: "Without an owner token any client can release another client's lock.",
    how: 'The value is neither empty nor a flag such as 1 or true. Of the first 10 000 locks of a walk.',
    remedy: 'Store a random token, and release by comparing it in a script.',
    ...error,
    checklist: 'locks',
  },
  'null-marker-ttl': {
    title: 'Null markers are short-lived',
    why: 'A marker that lives long hides a record that was created meanwhile.',
    how: 'Strings of a cache whose value is NULL expire within 300 seconds, unless the policy sets another band. Of the first 10 000 short strings of a walk.',
    remedy: 'Write the marker with a short TTL.',
    ...warning,
    checklist: 'cache-protection',
  },
  'forbidden-commands': {
    title: 'KEYS, FLUSHALL and FLUSHDB are not used',
    why: 'They block the server for as long as it has keys, or delete them all.',
    how: 'Calls in the command statistics of the server since it started or they were reset.',
    remedy: 'Use SCAN and UNLINK, and forbid the commands to the application by ACL.',
    ...error,
    ...none,
  },
  'blocking-in-transaction': {
    title: 'No transaction has blocking commands',
    why: 'In a transaction a blocking command does not wait: it answers at once as if there were nothing.',
    how: 'Passed where the command statistics have no EXEC or no blocking command. Otherwise it cannot be seen from the server.',
    remedy:
      'Take BLPOP and the like out of MULTI and EXEC, and look for them in the code of the application.',
    ...warning,
    ...none,
  },
  'secrets-in-clear': {
    title: 'No secret is stored in the clear',
    why: 'Anyone who can read the server, a backup or a list of names could use it.',
    how: 'Names: secret parameters of families, JWTs, passwords and tokens by their form. Values of a sample of each family and prefix: fields that the catalog or their name declares as secret and that are no digests, and strings with a JWT or password or that look generated.',
    remedy: 'Store a digest of it, or encrypt it in the application.',
    ...error,
    ...none,
  },
  'connection-limit': {
    title: 'Connections are far from the limit',
    why: 'At the limit the server refuses new clients.',
    how: 'Connected clients are at most 80 % of maxclients, unless the policy sets another share.',
    remedy: 'Use a connection pool with a limit, or raise maxclients.',
    ...warning,
    ...connections,
  },
  'idle-connections': {
    title: 'Few connections are idle',
    why: 'Idle connections are pools that are too large, or leaks.',
    how: 'From 20 idle clients on: at most half of all clients have sent nothing for ten minutes, unless the policy sets another share or time.',
    remedy: 'Reduce the size of the pools, close connections, or set timeout.',
    ...warning,
    ...connections,
  },
  'blocked-connections': {
    title: 'Few connections are blocked',
    why: 'Clients in a blocking command are of no use to others.',
    how: 'From 10 blocked clients on: at most half of all clients wait in a blocking command, unless the policy sets another share.',
    remedy: 'Give blocking reads a timeout and connections of their own.',
    ...warning,
    ...connections,
  },
  maxmemory: {
    title: 'Memory is limited',
    why: 'Without maxmemory the system ends the server when memory runs out.',
    how: 'maxmemory is set.',
    remedy: 'Set maxmemory below the memory of the machine.',
    ...warning,
    ...none,
  },
  'eviction-policy': {
    title: 'Eviction spares what must stay',
    why: 'At the limit allkeys policies evict sessions and variables too; noeviction refuses every write.',
    how: 'With maxmemory: a volatile policy, or an allkeys one where the catalog has nothing that must persist.',
    remedy: 'Set maxmemory-policy, for example to volatile-lru.',
    ...warning,
    ...none,
  },
  persistence: {
    title: 'What must stay is on disk',
    why: 'Without AOF and snapshots a restart loses all keys.',
    how: 'AOF or snapshots are on and the last ones succeeded; required where the catalog has keys that persist.',
    remedy: 'Switch on appendonly or save, and look for the reason of a failed one.',
    ...warning,
    ...none,
  },
  'abandoned-keys': {
    title: 'Nothing is left behind',
    why: 'Keys that nobody uses any more cost memory, and may still give access.',
    how: 'Legacy session keys, indexes all of whose sessions are gone (of the first 20 000 of a walk), and states of a sign-in or process that never expire.',
    remedy: 'Remove them by job.',
    ...warning,
    ...none,
  },
};

export const CHECKLIST_TITLES: Readonly<Record<ChecklistId, string>> = {
  naming: 'Names follow the convention',
  ttl: 'Every key has a TTL',
  type: 'Data types are chosen well',
  'big-values': 'Large values are split or compressed',
  locks: 'Locks expire and can be released by their owner only',
  'cache-protection': 'Caches are protected against misses and avalanches',
  connections: 'Connection pools are configured well',
};
