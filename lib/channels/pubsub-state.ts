import 'server-only';
import { setImmediate as turn } from 'node:timers/promises';
import { clientFields } from '@/lib/redis/client-line';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { fromPrimaries, type MissingNode, sumOf } from '@/lib/redis/each-primary';
import { withoutPermission } from '@/lib/redis/failure';
import { parseInfo } from '@/lib/redis/info';
import { type OwnClients, ownClients } from '@/lib/redis/own-clients';
import { readServer } from '@/lib/redis/server-reads';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import type { Node } from '@/lib/redis/topology';
import { SECOND } from '@/lib/time';
import { isOwnChannel } from './channel-name';

/** Readers share a reading for so long, and for a multiple of its duration. */
const SHARED_MS = SECOND;
const REST_FACTOR = 4;
/** Names that are kept of the server's answer. */
export const MAX_CHANNELS = 10_000;
/** With more the server is not asked for their names: the answer has all of them. */
const MAX_ASKED = 200_000;
const MAX_CLIENTS = 10_000;
const PER_CALL = 1000;

export interface ActiveChannel {
  name: Buffer;
  subscribers: number;
}

export interface ChannelList {
  channels: ActiveChannel[];
  /** All that there are. */
  active: number;
}

/** What a server says about its subscriptions. */
interface NodeState {
  plain: ChannelList;
  /** null where the server has no sharded channels, or does not tell. */
  sharded: ChannelList | null;
  patterns: number;
  /** Other clients with patterns; null where our user may not list clients, or there are too many. */
  patternClients: number | null;
}

/** What all primaries together say: each counts its own patterns. */
export interface PubSubState extends NodeState {
  at: number;
  missing: MissingNode[];
}

const infoOf = async (handle: ConnectionHandle, node: Node): Promise<ReadonlyMap<string, string>> => {
  const text = await readServer(handle, node, ['INFO']).catch(withoutPermission(null));
  return parseInfo(text === null ? '' : String(text));
};

const numberOf = (info: ReadonlyMap<string, string>, name: string): number | null =>
  info.has(name) ? Number(info.get(name)) : null;

const countSubscribers = async (
  handle: ConnectionHandle,
  node: Node,
  command: 'NUMSUB' | 'SHARDNUMSUB',
  names: readonly Buffer[],
): Promise<ActiveChannel[]> => {
  const found: ActiveChannel[] = [];
  for (let from = 0; from < names.length; from += PER_CALL) {
    const part = names.slice(from, from + PER_CALL);
    const reply = (await readServer(handle, node, ['PUBSUB', command, ...part])) as unknown[];
    part.forEach((name, i) => {
      found.push({ name, subscribers: Number(reply[2 * i + 1]) });
    });
    await turn();
  }
  return found;
};

/** How many clients subscribe to one channel, ours too. */
export const subscribersOf = async (
  handle: ConnectionHandle,
  name: Buffer,
  isSharded: boolean,
): Promise<number> => {
  // A message reaches all servers, whichever its subscribers are connected to.
  const { answers } = await fromPrimaries(handle, (node) =>
    countSubscribers(handle, node, isSharded ? 'SHARDNUMSUB' : 'NUMSUB', [name]),
  );
  return answers.reduce((sum, { value: [found] }) => sum + (found?.subscribers ?? 0), 0);
};

const listChannels = async (
  handle: ConnectionHandle,
  node: Node,
  isSharded: boolean,
  stated: number | null,
): Promise<ChannelList> => {
  if (stated !== null && stated > MAX_ASKED) return { channels: [], active: stated };
  const all = (await readServer(handle, node, [
    'PUBSUB',
    isSharded ? 'SHARDCHANNELS' : 'CHANNELS',
  ])) as Buffer[];
  const others = all.filter((name) => !isOwnChannel(name));
  // Copies: a view would hold the server's complete answer.
  const names = others.slice(0, MAX_CHANNELS).map((name) => Buffer.from(name));
  const channels = await countSubscribers(handle, node, isSharded ? 'SHARDNUMSUB' : 'NUMSUB', names);
  return { channels, active: others.length };
};

const countPatternClients = (reply: unknown, ours: OwnClients): number =>
  Buffer.from(reply as Uint8Array)
    .toString('latin1')
    .split('\n')
    .map(clientFields)
    .filter(
      (fields) =>
        Number(fields.get('psub')) > 0 && !ours.has(fields.get('id') ?? '', fields.get('addr') ?? ''),
    ).length;

const patternClientsOf = async (
  handle: ConnectionHandle,
  node: Node,
  info: ReadonlyMap<string, string>,
): Promise<number | null> => {
  const connected = numberOf(info, 'connected_clients');
  if (connected === null || connected > MAX_CLIENTS) return null;
  const reply = await readServer(handle, node, ['CLIENT', 'LIST', 'TYPE', 'pubsub']).catch(
    withoutPermission(null),
  );
  return reply === null ? null : countPatternClients(reply, ownClients(node));
};

const readNode = async (handle: ConnectionHandle, node: Node): Promise<NodeState> => {
  const info = await infoOf(handle, node);
  const shards = numberOf(info, 'pubsubshard_channels');
  return {
    plain: await listChannels(handle, node, false, numberOf(info, 'pubsub_channels')),
    sharded:
      shards === null ? null : await listChannels(handle, node, true, shards).catch(withoutPermission(null)),
    patterns: Number(await readServer(handle, node, ['PUBSUB', 'NUMPAT'])),
    patternClients: await patternClientsOf(handle, node, info),
  };
};

/** The lists of several servers: a channel has subscribers at any of them. */
const joined = (lists: readonly ChannelList[]): ChannelList => {
  if (lists.length === 1) return lists[0]!;
  const found = new Map<string, ActiveChannel>();
  for (const { channels } of lists)
    for (const { name, subscribers } of channels) {
      const key = name.toString('latin1');
      found.set(key, { name, subscribers: subscribers + (found.get(key)?.subscribers ?? 0) });
    }
  const named = lists.reduce((sum, { channels }) => sum + channels.length, 0);
  const active = lists.reduce((sum, list) => sum + list.active, 0);
  // Channels without a name cannot be matched between servers.
  return { channels: [...found.values()], active: active - named + found.size };
};

const read = async (handle: ConnectionHandle): Promise<PubSubState> => {
  const { answers, missing } = await fromPrimaries(handle, (node) => readNode(handle, node));
  const states = answers.map(({ value }) => value);
  const sharded = states.flatMap((state) => state.sharded ?? []);
  return {
    at: Date.now(),
    missing,
    plain: joined(states.map(({ plain }) => plain)),
    sharded: sharded.length === 0 ? null : joined(sharded),
    patterns: states.reduce((sum, { patterns }) => sum + patterns, 0),
    patternClients: sumOf(states.map(({ patternClients }) => patternClients)),
  };
};

const known = sharedAnswer<PubSubState>('pubsub state', SHARED_MS, REST_FACTOR);

/** The subscriptions of a server, read once for all readers of a second. Throws a 503 `Problem`. */
export const pubSubState = (handle: ConnectionHandle): Promise<PubSubState> =>
  known.of(handle, () => read(handle));
