import 'server-only';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { isNotPermitted } from './failure';
import { type Call, sendAll } from './send-all';
import { type Node, withDedicated } from './topology';

/** The server's setting. The order of its flags has no meaning. */
export const FLAGS_SETTING = 'notify-keyspace-events';
/** Key-event channel, missed keys. `A` does not include `m` (traps.md). */
const NEEDED = ['E', 'm'];

/** The channel pattern of misses in all databases. */
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

/** The value with the needed flags added; unchanged where it has them. */
export const mergeFlags = (present: string): string =>
  present + NEEDED.filter((flag) => !present.includes(flag)).join('');

export const isSufficient = (present: string): boolean => mergeFlags(present) === present;

/** Throws the server's refusal. */
export const readFlags = async (redis: Redis): Promise<string> => {
  const [, value] = (await redis.call('CONFIG', 'GET', FLAGS_SETTING)) as string[];
  return value ?? '';
};

/** An event arrives with the reply, or never. */
const EVENT_MS = 500;
const ANNOUNCED_MS = 60_000;

const announced = new WeakMap<Node, { at: number; process: string | null; answer: Promise<boolean> }>();

/** Whether a miss of our own arrives as an event, on a subscriber of its own. */
const hearsMiss = async (node: Node, redis: Redis): Promise<boolean> => {
  const key = Buffer.from(`keyward:miss:${randomBytes(12).toString('hex')}`);
  return withDedicated(node.dedicated('miss'), async (subscriber) => {
    const heard = new Promise<boolean>((resolve) => {
      subscriber.on('pmessage', (_pattern: string, _channel: string, missed: string) => {
        if (missed === key.toString()) resolve(true);
      });
    });
    await subscriber.psubscribe(MISSES);
    await node.own.track(async () => {
      await redis.exists(key);
      node.own.addMiss(redis, key);
      node.own.commands += 1;
    });
    return Promise.race([heard, sleep(EVENT_MS, false, { ref: false })]);
  });
};

/** As `hearsMiss`, asked once a minute. */
const announcesMisses = (node: Node, redis: Redis): Promise<boolean> => {
  const [process, now] = [node.process(), performance.now()];
  const before = announced.get(node);
  if (before && before.process === process && now - before.at < ANNOUNCED_MS) return before.answer;
  const answer = hearsMiss(node, redis);
  announced.set(node, { at: now, process, answer });
  answer.catch(() => announced.delete(node));
  return answer;
};

/**
 * The flags of a node, as far as windows need them: managed services refuse CONFIG GET, and there a miss of our own tells
 * whether they are set. Throws the server's refusal where they are not.
 */
export const readNodeFlags = async (node: Node, redis: Redis): Promise<string> => {
  try {
    return await readFlags(redis);
  } catch (error) {
    if (isNotPermitted(error) && (await announcesMisses(node, redis))) return NEEDED.join('');
    throw error;
  }
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

/** Judges an error message. The server's refusals contain none of our arguments. */
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

/** Sends a pipeline and returns the first refusal among its replies, or ''. */
const pipelined = async (redis: Redis, calls: readonly Call[]): Promise<string> => {
  const messages = (await sendAll(redis, calls)).map(([error]) => error?.message ?? '');
  return messages.find((message) => judge(message).allowed === false) ?? '';
};

/**
 * Whether our user may send CONFIG SET, checked with ACL DRYRUN, which changes nothing; before Redis 7, which has none, by
 * queueing it in a transaction that is discarded. Unknown where the server does not let us ask.
 */
const mayConfigSet = async (redis: Redis): Promise<Permitted> => {
  try {
    const self = String(await redis.call('ACL', 'WHOAMI'));
    const verdict = String(await redis.call('ACL', 'DRYRUN', self, 'CONFIG', 'SET', FLAGS_SETTING, ''));
    return verdict === 'OK' ? ALLOWED : { allowed: false, why: verdict.slice(0, 200) };
  } catch (error) {
    if (/unknown subcommand/i.test(String(error)))
      return judge(await pipelined(redis, [['MULTI'], ['CONFIG', 'SET', FLAGS_SETTING, ''], ['DISCARD']]));
    const isMissing = /Command 'config\|?\w*' not found/i.test(String(error));
    return isMissing ? { allowed: false, why: 'the server has no CONFIG' } : UNKNOWN;
  }
};

/**
 * The server checks the permission when it queues the command; it is then discarded. Needs a client that nothing else
 * uses.
 */
export const mayMonitor = async (redis: Redis): Promise<Permitted> =>
  judge(await pipelined(redis, [['MULTI'], ['MONITOR'], ['DISCARD']]));

/**
 * Whether the server permits what windows need. Changes nothing. Needs a client that nothing else uses; the caller
 * closes it.
 */
export const readPermissions = async (
  redis: Redis,
): Promise<{ configGet: Permitted; configSet: Permitted; monitor: Permitted; subscribe: Permitted }> => {
  const check = async (work: () => Promise<unknown>) => judge(await messageOf(work));
  return {
    configGet: await check(() => readFlags(redis)),
    configSet: await mayConfigSet(redis),
    monitor: await mayMonitor(redis),
    // Last, because a subscribed client can send nothing else.
    subscribe: await check(() => redis.psubscribe(MISSES)),
  };
};
