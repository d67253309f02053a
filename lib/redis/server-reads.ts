import 'server-only';
import type { CommandTable } from './command-table';
import type { Arg } from './commands';
import type { ConnectionHandle } from './connections';
import { unavailable } from './failure';
import { readCommandTable } from './shipped-table';
import { readyClient } from './topology';

/** What the console may ask a server about itself. None of these looks up a key, changes a setting or clears a log. */
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
  | readonly ['CONFIG', 'GET', ServerSetting]
  | readonly ['INFO', 'clients' | 'commandstats' | 'latencystats']
  | readonly ['MEMORY', 'DOCTOR']
  | readonly ['CLIENT', 'LIST', 'TYPE', 'normal' | 'pubsub' | 'replica' | 'master']
  | readonly ['CLIENT', 'LIST', 'ID', string];

/** Settings that are read; none of them is a secret. */
export type ServerSetting =
  | 'latency-monitor-threshold'
  | 'slowlog-log-slower-than'
  | 'slowlog-max-len'
  | 'maxclients';

/** One command on the connection's first primary; texts are bytes. Throws a 503 `Problem` that names the command. */
export const readServer = async (handle: ConnectionHandle, command: ServerRead): Promise<unknown> => {
  const { id } = handle.config;
  const redis = await readyClient(id, handle.topology.primaries()[0]!, 'read');
  const [name, ...args] = command;
  try {
    const reply = await redis.callBuffer(name, args as Arg[]);
    handle.own.commands += 1;
    return reply;
  } catch (error) {
    throw unavailable(id, error);
  }
};

/** A setting of the server; null where it has none of this name. */
export const readSetting = async (handle: ConnectionHandle, name: ServerSetting): Promise<number | null> => {
  const [, value] = (await readServer(handle, ['CONFIG', 'GET', name])) as (Buffer | undefined)[];
  return value === undefined ? null : Number(value.toString());
};

/** COMMAND DOCS as it is sent: names and their facts in flat lists. Redis ≥ 7. */
export const readCommandDocs = async (handle: ConnectionHandle): Promise<unknown> => {
  const { id } = handle.config;
  const redis = await readyClient(id, handle.topology.primaries()[0]!, 'read');
  try {
    const docs = await redis.call('COMMAND', 'DOCS');
    handle.own.commands += 1;
    return docs;
  } catch (error) {
    throw unavailable(id, error);
  }
};

/** The server's commands with the places of their keys; the shipped ones where it refuses COMMAND. */
export const readCommands = async (handle: ConnectionHandle): Promise<CommandTable> => {
  const { id } = handle.config;
  const redis = await readyClient(id, handle.topology.primaries()[0]!, 'read');
  try {
    const table = await readCommandTable(redis);
    handle.own.commands += 1;
    return table;
  } catch (error) {
    throw unavailable(id, error);
  }
};
