import 'server-only';
import type { Redis } from 'ioredis';
import type { CommandTable } from './command-table';
import type { Arg } from './commands';
import type { ConnectionHandle } from './connections';
import { fromAnyPrimary } from './each-primary';
import { unavailable } from './failure';
import { readCommandTable } from './shipped-table';
import { type Node, readyClient } from './topology';

/**
 * The commands by which the console reads facts about a server. None of them looks up a key, changes a setting or
 * clears a log.
 */
export type ServerRead =
  | readonly ['INFO']
  | readonly ['MEMORY', 'STATS']
  | readonly ['LATENCY', 'LATEST']
  | readonly ['LATENCY', 'HISTORY', string]
  | readonly ['SLOWLOG', 'LEN']
  | readonly ['SLOWLOG', 'GET', number]
  | readonly ['CLIENT', 'LIST']
  | readonly ['PUBSUB', 'CHANNELS' | 'SHARDCHANNELS' | 'NUMPAT']
  | readonly ['PUBSUB', 'NUMSUB' | 'SHARDNUMSUB', ...Buffer[]]
  | readonly ['CONFIG', 'GET', ServerSetting | 'save']
  | readonly ['INFO', 'clients' | 'commandstats' | 'latencystats']
  | readonly ['MEMORY', 'DOCTOR']
  | readonly ['CLIENT', 'LIST', 'TYPE', 'normal' | 'pubsub' | 'replica' | 'master']
  | readonly ['CLIENT', 'LIST', 'ID', string];

/** Readable settings; none of them is a secret. */
export type ServerSetting =
  | 'latency-monitor-threshold'
  | 'slowlog-log-slower-than'
  | 'slowlog-max-len'
  | 'maxclients';

/** Sends a command to one node, and counts it. Throws a 503 `Problem` that names the command. */
const asked = async <T>(
  { config }: ConnectionHandle,
  node: Node,
  send: (redis: Redis) => Promise<T>,
): Promise<T> => {
  const redis = await readyClient(config.id, node, 'read');
  try {
    const reply = await send(redis);
    node.own.commands += 1;
    return reply;
  } catch (error) {
    throw unavailable(config.id, error);
  }
};

/** One command on one node; texts are bytes. Throws a 503 `Problem` that names the command. */
export const readServer = (
  handle: ConnectionHandle,
  node: Node,
  [name, ...args]: ServerRead,
): Promise<unknown> => asked(handle, node, (redis) => redis.callBuffer(name, args as Arg[]));

const readText = async (
  handle: ConnectionHandle,
  node: Node,
  name: ServerSetting | 'save',
): Promise<string | null> => {
  const [, value] = (await readServer(handle, node, ['CONFIG', 'GET', name])) as (Buffer | undefined)[];
  return value?.toString() ?? null;
};

/** A setting of the server; null where it does not exist. */
export const readSetting = async (
  handle: ConnectionHandle,
  node: Node,
  name: ServerSetting,
): Promise<number | null> => {
  const text = await readText(handle, node, name);
  return text === null ? null : Number(text);
};

/** When snapshots are made, by the setting: empty for never, null where the server does not report it. */
export const readSave = (handle: ConnectionHandle, node: Node): Promise<string | null> =>
  readText(handle, node, 'save');

/** The reply of COMMAND DOCS: names and their facts in flat lists. Redis ≥ 7. */
export const readCommandDocs = async (handle: ConnectionHandle): Promise<unknown> =>
  fromAnyPrimary(handle, (node) => asked(handle, node, (redis) => redis.call('COMMAND', 'DOCS')));

/** The commands with the positions of their keys; the shipped ones where the server refuses COMMAND. */
export const readCommands = async (handle: ConnectionHandle): Promise<CommandTable> =>
  fromAnyPrimary(handle, (node) => asked(handle, node, readCommandTable));
