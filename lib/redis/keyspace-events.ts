import 'server-only';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { isNotPermitted } from './failure';
import { type Node, withDedicated } from './topology';

/** The server's setting. The order of its flags does not matter. */
export const FLAGS_SETTING = 'notify-keyspace-events';
/** Key-event channel (`E`), missed keys (`m`): `A` does not include `m`. */
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

/** An event arrives together with the reply, or never. */
const EVENT_MS = 500;
const ANNOUNCED_MS = 60_000;

const announced = new WeakMap<Node, { at: number; process: string | null; answer: Promise<boolean> }>();

/** Whether a miss of our own arrives as an event on a separate subscriber. */
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

/** Like `hearsMiss`, at most once a minute. */
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
 * The flags of a node, as far as windows need them. Managed services refuse CONFIG GET; there, a miss of our own shows
 * whether the flags are set. Throws the server's refusal where they are not.
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
