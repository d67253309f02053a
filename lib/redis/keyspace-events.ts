import 'server-only';
import type { Redis } from 'ioredis';

/** `notify-keyspace-events` as a server has it; the order of its flags means nothing. */
export const FLAGS_SETTING = 'notify-keyspace-events';
/** Events by key event channel, of keys that were missed. `m` is not in `A` (traps.md). */
const NEEDED = ['E', 'm'];

/** Misses of all databases. */
export const MISSES = '__keyevent@*__:keymiss';

const ALL = [...'g$lshzxetd'];

const flagsOf = (value: string): Set<string> => {
  const flags = new Set(value);
  if (flags.delete('A')) for (const flag of ALL) flags.add(flag);
  return flags;
};

export const sameFlags = (a: string, b: string): boolean => {
  const [one, other] = [flagsOf(a), flagsOf(b)];
  return one.size === other.size && [...one].every((flag) => other.has(flag));
};

/** The value with what is needed merged in; as it is where nothing is missing. */
export const mergeFlags = (present: string): string =>
  present + NEEDED.filter((flag) => !present.includes(flag)).join('');

export const isSufficient = (present: string): boolean => mergeFlags(present) === present;

/** Throws the server's refusal. */
export const readFlags = async (redis: Redis): Promise<string> => {
  const [, value] = (await redis.call('CONFIG', 'GET', FLAGS_SETTING)) as string[];
  return value ?? '';
};

export const writeFlags = async (redis: Redis, value: string): Promise<void> => {
  await redis.call('CONFIG', 'SET', FLAGS_SETTING, value);
};

export interface Permitted {
  allowed: boolean | null;
  why: string | null;
}

export const UNKNOWN: Permitted = { allowed: null, why: null };
const ALLOWED: Permitted = { allowed: true, why: null };

/** A refusal in the server's own words, which hold no arguments of ours. */
const judge = (message: string): Permitted =>
  /^(NOPERM|ERR unknown (sub)?command|ERR command .* not allowed|NOAUTH)/i.test(message)
    ? { allowed: false, why: message.slice(0, 200) }
    : ALLOWED;

const messageOf = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    const replies = await work();
    const errors = Array.isArray(replies) ? replies.filter((reply) => reply instanceof Error) : [];
    return errors[0] instanceof Error ? errors[0].message : '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/**
 * Whether our user may send CONFIG SET, by ACL DRYRUN alone: asking for it changes nothing and sends none. Unknown where
 * the server has no DRYRUN (before Redis 7) or does not let us use it.
 */
const mayConfigSet = async (redis: Redis): Promise<Permitted> => {
  try {
    const self = String(await redis.call('ACL', 'WHOAMI'));
    const verdict = String(await redis.call('ACL', 'DRYRUN', self, 'CONFIG', 'SET', FLAGS_SETTING, ''));
    return verdict === 'OK' ? ALLOWED : { allowed: false, why: verdict.slice(0, 200) };
  } catch (error) {
    const isGone = /Command 'config\|?\w*' not found/i.test(String(error));
    return isGone ? { allowed: false, why: 'the server has no CONFIG' } : UNKNOWN;
  }
};

/** Errors within a pipeline are in its replies. */
const pipelined = async (redis: Redis, calls: readonly [string, ...string[]][]): Promise<string> => {
  const pipeline = redis.pipeline();
  for (const [name, ...args] of calls) pipeline.call(name, ...args);
  const replies = (await pipeline.exec()) ?? [];
  return (
    replies.map(([error]) => error?.message ?? '').find((message) => judge(message).allowed === false) ?? ''
  );
};

/**
 * Whether the server permits what windows need, without changing anything. Takes a client of its own: the caller
 * closes it.
 */
export const askPermissions = async (
  redis: Redis,
): Promise<{ configGet: Permitted; configSet: Permitted; monitor: Permitted; subscribe: Permitted }> => {
  const ask = async (work: () => Promise<unknown>) => judge(await messageOf(work));
  return {
    configGet: await ask(() => readFlags(redis)),
    configSet: await mayConfigSet(redis),
    // Queued and discarded: permission is asked for when it is queued.
    monitor: judge(await pipelined(redis, [['MULTI'], ['MONITOR'], ['DISCARD']])),
    // Last, for nothing else can be asked of a subscriber.
    subscribe: await ask(() => redis.psubscribe(MISSES)),
  };
};
