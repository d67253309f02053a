import 'server-only';
import { saysKeyward } from '@/lib/calls/client-name';
import { clientFields } from '@/lib/redis/client-line';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { failureOf, isNotPermitted } from '@/lib/redis/failure';
import { parseInfo } from '@/lib/redis/info';
import { type Node, readyClient } from '@/lib/redis/topology';

export interface ClientLine {
  readonly fields: ReadonlyMap<string, string>;
}

/** What a server reports about itself. Null, with the reason, where it does not. */
export interface ServerState {
  readonly info: ReadonlyMap<string, string> | null;
  readonly infoReason: string | null;
  /** Number of calls per command, by lower-case name. */
  readonly commands: ReadonlyMap<string, number> | null;
  readonly commandsReason: string | null;
  readonly config: ReadonlyMap<string, string> | null;
  readonly configReason: string | null;
  /** Without clients whose names claim to be the console. */
  readonly clients: readonly ClientLine[] | null;
  readonly clientsReason: string | null;
}

/** With more clients the list takes megabytes. */
const MAX_LISTED_CLIENTS = 5000;

const notPermitted = (command: string): string => `The Redis user may not run ${command}.`;

/** The reply, or the reason where the user may not run the command. Throws a 503 `Problem` when the server is lost. */
const asked = async <T>(
  connection: string,
  command: string,
  read: () => Promise<T>,
): Promise<{ value: T; reason: null } | { value: null; reason: string }> => {
  try {
    return { value: await read(), reason: null };
  } catch (error) {
    // The server does not know a renamed command.
    if (isNotPermitted(error) || /unknown (?:sub)?command/iu.test((error as Error).message))
      return { value: null, reason: notPermitted(command) };
    throw failureOf(connection, error);
  }
};

export const parseCommandStats = (text: string): Map<string, number> => {
  const calls = new Map<string, number>();
  for (const [name, value] of parseInfo(text)) {
    const count = /^calls=(\d+)/u.exec(value)?.[1];
    if (name.startsWith('cmdstat_') && count)
      calls.set(name.slice('cmdstat_'.length).toLowerCase(), Number(count));
  }
  return calls;
};

export const parseClients = (text: string): ClientLine[] =>
  text
    .split('\n')
    .filter((line) => line.includes('='))
    .map((line) => ({ fields: clientFields(line) }))
    .filter(({ fields }) => !saysKeyward(fields.get('name') ?? ''));

const parseConfig = (reply: unknown): Map<string, string> => {
  const words = (Array.isArray(reply) ? reply : []).map(String);
  const pairs = new Map<string, string>();
  for (let i = 0; i + 1 < words.length; i += 2) pairs.set(words[i]!, words[i + 1]!);
  return pairs;
};

const readNode = async (handle: ConnectionHandle, node: Node): Promise<ServerState> => {
  const redis = await readyClient(handle.config.id, node, 'read');
  const ask = <T>(command: string, read: () => Promise<T>) => {
    node.own.commands += 1;
    return asked(handle.config.id, command, read);
  };
  const info = await ask('INFO', () => redis.info());
  const stats = await ask('INFO', () => redis.info('commandstats'));
  const config = await ask('CONFIG GET', async () => [
    await redis.call('CONFIG', 'GET', 'maxclients'),
    await redis.call('CONFIG', 'GET', 'save'),
  ]);
  const fields = info.value === null ? null : parseInfo(info.value);
  const connected = Number(fields?.get('connected_clients') ?? 0);
  const clients =
    connected > MAX_LISTED_CLIENTS
      ? { value: null, reason: `The list of ${connected} clients is too long.` }
      : await ask('CLIENT LIST', async () => String(await redis.call('CLIENT', 'LIST')));
  return {
    info: fields,
    infoReason: info.reason,
    commands: stats.value === null ? null : parseCommandStats(stats.value),
    commandsReason: stats.reason,
    config: config.value === null ? null : new Map(config.value.flatMap((reply) => [...parseConfig(reply)])),
    configReason: config.reason,
    clients: clients.value === null ? null : parseClients(clients.value),
    clientsReason: clients.reason,
  };
};

/** What each primary of a connection reports about itself. */
export const readServerStates = async (handle: ConnectionHandle): Promise<ServerState[]> => {
  const states: ServerState[] = [];
  for (const node of await knownPrimaries(handle)) states.push(await readNode(handle, node));
  return states;
};
