import 'server-only';
import type { Redis } from 'ioredis';
import type { Arg, Key } from './commands';
import type { ConnectionHandle } from './connections';
import { describeFailure, failureOf, isNotPermitted } from './failure';
import { callScript, type Script, script } from './scripts';
import { type Purpose, readyClient } from './topology';

const able = new WeakMap<Redis, Promise<boolean>>();

const tryOne = async (redis: Redis): Promise<boolean> => {
  try {
    await redis.call('EVAL_RO', 'return 1', 0);
    return true;
  } catch (error) {
    if (isNotPermitted(error)) return false;
    able.delete(redis);
    throw error;
  }
};

/** Whether the server runs read-only scripts for our user: Redis ≥ 7 and Valkey do. Checked once per client. */
export const runsReadScripts = (redis: Redis): Promise<boolean> => {
  let answer = able.get(redis);
  if (!answer) {
    answer = tryOne(redis);
    able.set(redis, answer);
  }
  return answer;
};

/** Why it does not run them, in words; null where it does. */
export const whyNoReadScripts = async (redis: Redis): Promise<string | null> => {
  if (await runsReadScripts(redis)) return null;
  return redis.call('EVAL_RO', 'return 1', 0).then(() => null, describeFailure);
};

/** EVALSHA_RO: the server itself refuses writes. */
export const runReadScript = async (
  redis: Redis,
  wanted: Script,
  keys: readonly Key[],
  args: readonly Arg[],
): Promise<unknown> => {
  try {
    return await callScript(redis, ['EVALSHA_RO', 'EVAL_RO'], wanted, keys, args);
  } catch (error) {
    // Permissions may change while a client stays connected.
    if (isNotPermitted(error)) able.delete(redis);
    throw error;
  }
};

/** The key patterns of a script's keys, for messages: the server does not say which key is not permitted. */
export const patternsOf = ({ patternOf }: ConnectionHandle, keys: readonly Key[]): string | null =>
  [...new Set(keys.map(patternOf))].filter((pattern) => pattern !== null).join(' or ') || null;

/**
 * Runs a named read-only script on the node of its first key, and removes the script's own lookup counts from the
 * reply. Null where the server has no such scripts (Redis 6.2): the caller then reads with commands.
 */
export const readScript = async (
  handle: ConnectionHandle,
  name: string,
  keys: readonly Key[],
  args: readonly Arg[],
  purpose: Purpose = 'read',
): Promise<unknown[] | null> => {
  const redis = await readyClient(handle.config.id, handle.topology.nodeOf(keys[0]!), purpose);
  try {
    if (!(await runsReadScripts(redis))) return null;
    return await handle.own.track(async () =>
      handle.own.addScript(redis, await runReadScript(redis, script(name), keys, args)),
    );
  } catch (error) {
    throw failureOf(handle.config.id, error, patternsOf(handle, keys));
  }
};
