import 'server-only';
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Purpose } from './client';
import type { Arg, Key } from './commands';
import type { ConnectionHandle } from './connections';
import { describeFailure, failureOf, isNotPermitted } from './failure';
import { type CallOn, onNodeOf } from './redirect';
import { callScript, type Script, script } from './scripts';

/** By digest, and by source. */
const READ_SCRIPT = ['EVALSHA_RO', 'EVAL_RO'] as const;

const refusals = new WeakMap<Redis, Promise<string | null>>();

const PROBE = { name: 'probe', lua: 'return 1', sha: createHash('sha1').update('return 1').digest('hex') };

/** Uses an undeclared key in a command that counts as no look-up, and returns why that failed. */
const UNDECLARED =
  "local r = redis.pcall('MEMORY', 'USAGE', ARGV[1]) return type(r) == 'table' and r.err or ''";
const UNDECLARED_KEY = 'keyward:undeclared';

const tryOne = async (redis: Redis): Promise<string | null> => {
  try {
    await callScript(redis, READ_SCRIPT, PROBE, [], []);
    // EVALSHA_RO only executes loaded scripts, so the undeclared key is tested by source.
    const refusal = String(await redis.call('EVAL_RO', UNDECLARED, 0, UNDECLARED_KEY));
    return /declare/i.test(refusal) ? 'its scripts may not use keys that they do not declare' : null;
  } catch (error) {
    if (isNotPermitted(error)) return describeFailure(error);
    refusals.delete(redis);
    throw error;
  }
};

/**
 * Why the server does not run read-only scripts for our user, as a sentence; null where it does (Redis ≥ 7, Valkey).
 * Checked once per client.
 */
export const whyNoReadScripts = (redis: Redis): Promise<string | null> => {
  let answer = refusals.get(redis);
  if (!answer) {
    answer = tryOne(redis);
    refusals.set(redis, answer);
  }
  return answer;
};

export const runsReadScripts = async (redis: Redis): Promise<boolean> =>
  (await whyNoReadScripts(redis)) === null;

/** EVALSHA_RO: the server itself refuses writes. */
export const runReadScript = async (
  redis: Redis,
  wanted: Script,
  keys: readonly Key[],
  args: readonly Arg[],
  isAsking = false,
): Promise<unknown> => {
  try {
    return await callScript(redis, READ_SCRIPT, wanted, keys, args, isAsking);
  } catch (error) {
    // Permissions may change while a client stays connected.
    if (isNotPermitted(error)) refusals.delete(redis);
    throw error;
  }
};

/** The key patterns of a script's keys, for messages: the server does not report which key is not permitted. */
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
  const { topology, config } = handle;
  const on: CallOn<unknown[] | null> = async (node, redis, isAsking) => {
    if (!(await runsReadScripts(redis))) return null;
    return node.own.track(async () =>
      node.own.addScript(redis, await runReadScript(redis, script(name), keys, args, isAsking)),
    );
  };
  try {
    return await onNodeOf({ id: config.id, topology }, purpose, keys[0]!, on);
  } catch (error) {
    throw failureOf(handle.config.id, error, patternsOf(handle, keys));
  }
};

/**
 * Like `readScript`, for a script that replies one result per key. In a cluster it runs once for each key, because the
 * keys are in several slots.
 */
export const readScriptOnEach = async (
  handle: ConnectionHandle,
  name: string,
  keys: readonly Key[],
  args: readonly Arg[],
): Promise<unknown[] | null> => {
  if (handle.topology.kind !== 'cluster') return readScript(handle, name, keys, args);
  const replies = await Promise.all(keys.map((key) => readScript(handle, name, [key], args)));
  return replies.some((reply) => reply === null) ? null : replies.map((reply) => reply![0]);
};
