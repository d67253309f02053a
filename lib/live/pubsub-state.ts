import 'server-only';
import { setImmediate as turn } from 'node:timers/promises';
import { clientFields } from '@/lib/redis/client-line';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isNotPermitted } from '@/lib/redis/failure';
import { parseInfo } from '@/lib/redis/info';
import { type OwnClients, ownClients } from '@/lib/redis/own-clients';
import { readServer } from '@/lib/redis/server-reads';
import { sharedAnswer } from '@/lib/redis/shared-answer';
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
export interface PubSubState {
  at: number;
  plain: ChannelList;
  /** null where the server has no sharded channels, or does not tell. */
  sharded: ChannelList | null;
  patterns: number;
  /** Other clients with patterns; null where our user may not list clients, or there are too many. */
  patternClients: number | null;
}

const withoutPermission =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (isNotPermitted(error)) return fallback;
    throw error;
  };

const infoOf = async (handle: ConnectionHandle): Promise<ReadonlyMap<string, string>> => {
  const text = await readServer(handle, ['INFO']).catch(withoutPermission(null));
  return parseInfo(text === null ? '' : String(text));
};

const numberOf = (info: ReadonlyMap<string, string>, name: string): number | null =>
  info.has(name) ? Number(info.get(name)) : null;

const countSubscribers = async (
  handle: ConnectionHandle,
  command: 'NUMSUB' | 'SHARDNUMSUB',
  names: readonly Buffer[],
): Promise<ActiveChannel[]> => {
  const found: ActiveChannel[] = [];
  for (let from = 0; from < names.length; from += PER_CALL) {
    const part = names.slice(from, from + PER_CALL);
    const reply = (await readServer(handle, ['PUBSUB', command, ...part])) as unknown[];
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
  const [found] = await countSubscribers(handle, isSharded ? 'SHARDNUMSUB' : 'NUMSUB', [name]);
  return found?.subscribers ?? 0;
};

const listChannels = async (
  handle: ConnectionHandle,
  isSharded: boolean,
  stated: number | null,
): Promise<ChannelList> => {
  if (stated !== null && stated > MAX_ASKED) return { channels: [], active: stated };
  const all = (await readServer(handle, ['PUBSUB', isSharded ? 'SHARDCHANNELS' : 'CHANNELS'])) as Buffer[];
  const others = all.filter((name) => !isOwnChannel(name));
  // Copies: a view would hold the server's complete answer.
  const names = others.slice(0, MAX_CHANNELS).map((name) => Buffer.from(name));
  const channels = await countSubscribers(handle, isSharded ? 'SHARDNUMSUB' : 'NUMSUB', names);
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
  info: ReadonlyMap<string, string>,
): Promise<number | null> => {
  const connected = numberOf(info, 'connected_clients');
  if (connected === null || connected > MAX_CLIENTS) return null;
  const reply = await readServer(handle, ['CLIENT', 'LIST', 'TYPE', 'pubsub']).catch(withoutPermission(null));
  return reply === null ? null : countPatternClients(reply, ownClients(handle));
};

const read = async (handle: ConnectionHandle): Promise<PubSubState> => {
  const info = await infoOf(handle);
  const shards = numberOf(info, 'pubsubshard_channels');
  return {
    at: Date.now(),
    plain: await listChannels(handle, false, numberOf(info, 'pubsub_channels')),
    sharded: shards === null ? null : await listChannels(handle, true, shards).catch(withoutPermission(null)),
    patterns: Number(await readServer(handle, ['PUBSUB', 'NUMPAT'])),
    patternClients: await patternClientsOf(handle, info),
  };
};

const known = sharedAnswer<PubSubState>('pubsub state', SHARED_MS, REST_FACTOR);

/** The subscriptions of a server, read once for all readers of a second. Throws a 503 `Problem`. */
export const pubSubState = (handle: ConnectionHandle): Promise<PubSubState> =>
  known.of(handle, () => read(handle));

/** Tests begin without a reading. */
export const forgetPubSubState = (): void => known.forget();
