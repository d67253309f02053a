import 'server-only';
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { findCommand } from './command-table';
import { classify, type FailureCode, unavailable, withoutPermission } from './failure';
import { numberOf, parseInfo } from './info';
import { MISSES } from './keyspace-events';
import { lookupsOf } from './lookups';
import { whyNoReadScripts } from './read-script';
import { type Call, sendAll } from './send-all';
import type { Role } from './server-facts';
import { SHIPPED_TABLE } from './shipped-table';
import { type Node, readyClient } from './topology';

/** `acl`: our user may not use it. `absent`: the server does not have it, or under another name. */
export type Permission = 'yes' | 'acl' | 'absent';

/** What one server lets our user do. A command without an answer is missing here, and may be possible. */
export interface NodeCapabilities {
  node: string;
  role: Role;
  user: string | null;
  /** By command, as `Questions` names it. */
  commands: ReadonlyMap<string, Permission>;
  /** Whether our user may use any key. */
  allKeys: boolean;
  /** By key pattern. */
  keys: ReadonlyMap<string, { read: boolean; write: boolean }>;
  /** Why it does not run read-only scripts for us, in words; null where it does. */
  noReadScripts: string | null;
}

export interface Questions {
  /** `UNLINK`, or `CONFIG SET` where a subcommand has rights of its own. */
  commands: readonly string[];
  /** As ACLs write them. */
  keys: readonly string[];
}

/** What prevents changes by any user. */
export interface Obstacle {
  code: FailureCode;
  /** Completes "Redis …: ". */
  text: string;
  /** Deletions work nevertheless. */
  isOfGrowth: boolean;
}

/** This key does not exist, and nothing writes it. */
const KEY = `keyward:capabilities:${randomBytes(12).toString('hex')}`;

const SPECIAL: Readonly<Record<string, Call>> = {
  EVAL: ['EVAL', 'return 1', '0'],
  EVALSHA: ['EVALSHA', 'return 1', '0'],
  EVAL_RO: ['EVAL_RO', 'return 1', '0'],
  EVALSHA_RO: ['EVALSHA_RO', 'return 1', '0'],
  SCAN: ['SCAN', '0'],
  PSUBSCRIBE: ['PSUBSCRIBE', MISSES],
};

/** A call with the minimal number of arguments: the server checks the permission right after their number. */
const callOf = (command: string, key: string): Call => {
  const words = command.split(' ') as [string, ...string[]];
  const outer = SHIPPED_TABLE.get(words[0].toLowerCase());
  const spec = words[1] === undefined ? outer : outer?.subcommands?.get(words[1].toLowerCase());
  const missing = Math.max(0, Math.abs(spec?.arity ?? words.length) - words.length);
  return SPECIAL[command] ?? [...words, ...Array<string>(missing).fill(key)];
};

/** The first command here that our user may run shows which keys may be read or changed. */
const OF_KEYS = {
  read: ['GET', 'HGET', 'STRLEN', 'LRANGE', 'ZRANGE', 'SISMEMBER', 'TYPE'],
  write: ['UNLINK', 'DEL', 'SET', 'HSET', 'SADD', 'PEXPIRE'],
} as const;

type Answer = Permission | 'key';

/** As servers refuse what takes memory. */
const OUT_OF_MEMORY = new Error('OOM command not allowed');

const ABSENT = /\bunknown (sub|Redis )?command\b|Command '[^']*' not found/i;

const answerOf = (error: Error | null): Answer => {
  const failure = error && classify(error);
  if (failure?.code !== 'not_permitted') return 'yes';
  if (ABSENT.test(error!.message)) return 'absent';
  return failure.ofKey ? 'key' : 'acl';
};

/** DRYRUN answers with a sentence, or with an error for a command that does not exist. */
const dryAnswerOf = (error: Error | null, sentence: unknown): Answer => {
  if (ABSENT.test(error?.message ?? '')) return 'absent';
  if (error || !/no permissions/i.test(String(sentence))) return 'yes';
  return /key$/.test(String(sentence)) ? 'key' : 'acl';
};

interface Question {
  command: string;
  key: string;
}

/** Finds out which of these calls the server would refuse. */
type Ask = (questions: readonly Question[]) => Promise<Answer[]>;

const orRefused = withoutPermission(null);

/** ACL DRYRUN (Redis ≥ 7), which writes nothing into ACL LOG. Null where our user may not run it. */
const byDryRun = async (redis: Redis, user: string | null, own: Node['own']): Promise<Ask | null> => {
  if (user === null || (await redis.call('ACL', 'DRYRUN', user, 'PING').catch(() => null)) === null)
    return null;
  return async (questions) => {
    const calls = questions.map(({ command, key }): Call => ['ACL', 'DRYRUN', user, ...callOf(command, key)]);
    own.commands += calls.length;
    return (await sendAll(redis, calls)).map(([error, sentence]) => dryAnswerOf(error, sentence));
  };
};

/** ioredis takes any reply to these commands for a subscription. */
const OF_CHANNELS: Readonly<Record<string, string>> = {
  SUBSCRIBE: 'PUBSUB CHANNELS',
  PSUBSCRIBE: 'PUBSUB CHANNELS',
  SSUBSCRIBE: 'PUBSUB CHANNELS',
};

/**
 * Inside a transaction these would end it: EXEC would execute the queued commands, and later ones would be executed.
 * Without a transaction they only fail.
 */
const ENDING: readonly string[] = ['EXEC', 'DISCARD'];

/**
 * The server checks the permission of a command when it queues it in a transaction. Null where our user may not use
 * transactions; then nothing is sent. Needs a client of its own, whose connection ends after the questions.
 */
const inTransaction = async (redis: Redis): Promise<Ask | null> => {
  const outside = await sendAll(
    redis,
    ENDING.map((name): Call => [name]),
  );
  const ofEnding = new Map(ENDING.map((name, i) => [name, answerOf(outside[i]![0])]));
  if ((await redis.call('MULTI').catch(orRefused)) === null) return null;
  return async (questions) => {
    const queued = questions.filter(({ command }) => !ofEnding.has(command));
    const replies = await sendAll(
      redis,
      queued.map(({ command, key }) => callOf(OF_CHANNELS[command] ?? command, key)),
    );
    const answers = new Map(queued.map((question, i) => [question, answerOf(replies[i]![0])]));
    return questions.map((question) => answers.get(question) ?? ofEnding.get(question.command)!);
  };
};

/** Forms that fail after the permission check, for commands whose usual form would change something. */
const SAFE: Readonly<Record<string, Call>> = {
  SET: ['SET', KEY, '', 'NOTHING'],
  HSET: ['HSET', KEY, 'f', 'v', 'odd'],
  ZADD: ['ZADD', KEY, 'x', 'x'],
  XADD: ['XADD', KEY, 'x', 'f', 'v'],
  SETBIT: ['SETBIT', KEY, 'x', '1'],
};

/** Commands that always have an effect: the permission of a similar command is checked instead. */
const SIBLING: Readonly<Record<string, string>> = {
  ...OF_CHANNELS,
  SADD: 'SREM',
  RPUSH: 'LSET',
  HSETNX: 'HDEL',
  MONITOR: 'SLOWLOG GET',
  'CLIENT KILL': 'CLIENT LIST',
  PUBLISH: 'PUBSUB CHANNELS',
  SPUBLISH: 'PUBSUB CHANNELS',
  'CONFIG SET': 'CONFIG GET',
};

/** How many keys a call looks up. */
const lookedUp = (call: Call): number => {
  const args = { count: call.length, word: (index: number) => (call[index] ?? '').toLowerCase() };
  const spec = findCommand(SHIPPED_TABLE, args);
  return spec ? lookupsOf(spec, args).keys.length : 0;
};

/**
 * For a user who may use neither transactions nor ACL DRYRUN. On our key, which does not exist, these calls change
 * nothing.
 */
const byTrying = (redis: Redis, own: Node['own'], names: readonly string[]): Promise<Answer[]> =>
  own.track(async () => {
    const calls = names.map((name) => SAFE[name] ?? callOf(SIBLING[name] ?? name, KEY));
    const replies = await sendAll(redis, calls);
    const misses = replies.reduce((sum, [error], i) => sum + (error ? 0 : lookedUp(calls[i]!)), 0);
    own.add(0, misses);
    own.unnamed += misses;
    own.commands += calls.length;
    return replies.map(([error]) => answerOf(error));
  });

const permissionsOf = (names: readonly string[], answers: readonly Answer[]): Map<string, Permission> =>
  new Map(names.map((name, i) => [name, answers[i] === 'key' ? 'yes' : answers[i]!]));

/** The part of a key pattern before its first wildcard. */
const beginningOf = (pattern: string): string => /^[^*?[\\]*/.exec(pattern)![0];

/**
 * Whether a rule may grant some of a family's keys. For a rule that begins with a wildcard, the server's answer
 * decides.
 */
const mayOverlap = (rule: string, family: string): boolean => {
  const [a, b] = [beginningOf(rule), beginningOf(family)];
  return b === family ? a === b : a !== '' && (a.startsWith(b) || b.startsWith(a));
};

/** The key patterns of a user's ACL rules (Redis ≥ 6.2); null where our user may not read them. */
const ownPatterns = async (redis: Redis, user: string | null): Promise<string[] | null> => {
  const reply = user === null ? null : await redis.call('ACL', 'GETUSER', user).catch(() => null);
  if (!Array.isArray(reply)) return null;
  const partOf = (name: string) => reply[reply.indexOf(name) + 1] as unknown;
  const rules = [partOf('keys'), reply.includes('selectors') ? partOf('selectors') : []].flat(3).join(' ');
  const words = rules.split(' ').filter((word) => (reply.includes('selectors') ? word.includes('~') : word));
  return words.map((word) => word.slice(word.indexOf('~') + 1));
};

/** A family counts as refused only where the user may access none of its keys. */
const keysOf = async (
  ask: Ask,
  granted: readonly string[] | null,
  commands: ReadonlyMap<string, Permission>,
  patterns: readonly string[],
): Promise<NodeCapabilities['keys']> => {
  const asked = async (names: readonly string[]): Promise<Answer[]> => {
    const command = names.find((name) => commands.get(name) === 'yes');
    return command === undefined ? [] : ask(patterns.map((key) => ({ command, key })));
  };
  const [reads, writes] = [await asked(OF_KEYS.read), await asked(OF_KEYS.write)];
  return new Map(
    patterns.map((pattern, i) => {
      const isPartial = granted?.some((own) => mayOverlap(own, pattern)) ?? true;
      const may = (answer: Answer | undefined): boolean => answer !== 'key' || isPartial;
      return [pattern, { read: may(reads[i]), write: may(writes[i]) }];
    }),
  );
};

const WORDS = {
  acl: 'its user may not use EVAL_RO',
  absent: 'it does not have the command EVAL_RO',
} as const;

/** Tried only where it is permitted, because a refusal would be written into ACL LOG. */
const noReadScripts = (redis: Redis, commands: ReadonlyMap<string, Permission>): Promise<string | null> => {
  const refused = ['EVALSHA_RO', 'EVAL_RO']
    .map((name) => commands.get(name))
    .find((permission) => permission !== 'yes');
  return refused ? Promise.resolve(WORDS[refused as keyof typeof WORDS]) : whyNoReadScripts(redis);
};

/**
 * What a server lets our user do, found without changing anything: by ACL DRYRUN, or by commands queued in a transaction
 * that is dropped, or on a key that does not exist. On a connection of its own; about 5 ms. Throws a 503 `Problem`.
 */
export const askCapabilities = async (
  connection: string,
  node: Node,
  { commands, keys }: Questions,
): Promise<NodeCapabilities> => {
  const client = node.dedicated('capabilities');
  try {
    await client.ready();
    const { redis } = client;
    const user = await redis.call('ACL', 'WHOAMI').then(String, orRefused);
    const facts = { node: node.id, role: client.role(), user };
    node.own.commands += 4;
    const granted = await ownPatterns(redis, user);
    const ask = (await byDryRun(redis, user, node.own)) ?? (await inTransaction(redis));
    const names = [...new Set([...commands, ...OF_KEYS.read, ...OF_KEYS.write, 'EVAL_RO', 'EVALSHA_RO'])];
    const answers = ask
      ? await ask(names.map((command) => ({ command, key: KEY })))
      : await byTrying(redis, node.own, names);
    const permitted = permissionsOf(names, answers);
    // Real keys are named only where no command is executed.
    const onKeys: NodeCapabilities['keys'] = ask ? await keysOf(ask, granted, permitted, keys) : new Map();
    const allKeys = !answers.includes('key');
    const capabilities = { ...facts, commands: permitted, allKeys, keys: onKeys };
    // Inside the transaction a script would only be queued.
    const reader = await readyClient(connection, node, 'read');
    return { ...capabilities, noReadScripts: await noReadScripts(reader, permitted) };
  } catch (error) {
    throw unavailable(connection, error);
  } finally {
    client.close();
  }
};

/** By INFO, whether nothing may be evicted and the limit is reached. */
const isFull = (text: string): boolean => {
  const fields = parseInfo(text);
  const bytes = (name: string): number => numberOf(fields, name) ?? 0;
  const limit = bytes('maxmemory');
  const counted = bytes('used_memory') - bytes('mem_not_counted_for_evict');
  return fields.get('maxmemory_policy') === 'noeviction' && limit > 0 && counted > limit;
};

/**
 * Why a server accepts no changes now, or only deletions; null where it accepts all. When its memory is full a server
 * queues no command but DISCARD, and it refuses PING while it cannot save to disk. No write is queued, because during
 * CLIENT PAUSE it would block the client. Since Redis 8 and Valkey 9 a full server queues PING: INFO tells then, and where
 * our user may not use transactions.
 */
export const readObstacle = async (connection: string, node: Node): Promise<Obstacle | null> => {
  const redis = await readyClient(connection, node, 'write');
  const replies = await sendAll(redis, [['MULTI'], ['PING'], ['DISCARD'], ['INFO', 'memory']]);
  node.own.commands += 3;
  const error = replies[1]?.[0] ?? (isFull(String(replies[3]?.[1])) ? OUT_OF_MEMORY : null);
  const failure = error && classify(error);
  if (failure?.code !== 'full') return null;
  return { code: failure.code, text: failure.text, isOfGrowth: /\bOOM\b/.test(error!.message) };
};
