import 'server-only';
import type { Redis } from 'ioredis';
import type { Key } from '../commands';

/** The number of hash slots in any cluster. */
export const SLOTS = 16_384;

/** CRC-16 per byte (XMODEM: polynomial 0x1021, initial value 0), as in the Redis Cluster specification. */
const CRC16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0);
  return crc;
});

const [OPENING, CLOSING] = [0x7b, 0x7d];

/**
 * The hash slot of a key: the slot of the text between its first brace and the next closing one, unless that text is
 * empty. The package that ioredis uses would then take a later pair.
 */
export const slotOf = (key: Key): number => {
  const start = key.indexOf(OPENING) + 1;
  const end = start > 0 ? key.indexOf(CLOSING, start) : -1;
  const [from, to] = end > start ? [start, end] : [0, key.length];
  let crc = 0;
  for (let i = from; i < to; i++) crc = ((crc << 8) & 0xffff) ^ CRC16[(crc >> 8) ^ key[i]!]!;
  return crc % SLOTS;
};

/** A primary that serves hash slots, as one node of the cluster sees it. */
export interface Shard {
  /** The node id of the primary. */
  id: string;
  /** `host:port` that the primary announces. */
  address: string;
  /** Node ids of its replicas. */
  replicas: string[];
  /** First and last slot of each range. */
  ranges: [number, number][];
}

type NodeReply = [host: string | null, port: number, id?: string];
type RangeReply = [first: number, last: number, primary: NodeReply, ...replicas: NodeReply[]];

/** Whether an answer contains a host: it may be unknown, or the server may be configured to omit it. */
const isHost = (host: string | null): host is string => host !== null && host !== '' && host !== '?';

/** CLUSTER SLOTS. A node that does not know its own address omits it: then it has the address we used. */
export const readShards = async (redis: Redis, askedAt: string): Promise<Shard[]> => {
  const ranges = (await redis.call('CLUSTER', 'SLOTS')) as RangeReply[];
  const shards = new Map<string, Shard>();
  for (const [first, last, [host, port, id], ...replicas] of ranges) {
    const known = isHost(host) ? host : askedAt.slice(0, askedAt.lastIndexOf(':'));
    const address = `${known}:${port}`;
    const key = id ?? address;
    const shard = shards.get(key) ?? { id: key, address, replicas: [], ranges: [] };
    shard.replicas = replicas.map(([at, on, replica]) => replica ?? `${at}:${on}`);
    shard.ranges.push([first, last]);
    shards.set(key, shard);
  }
  // All processes need the same order, because cursors number the nodes.
  return [...shards.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
};

/** What a primary reports about its own slots. */
export interface OwnSlots {
  /** The config epoch: whichever node claims a slot last has the highest one. */
  epoch: number;
  owned: ReadonlySet<number>;
  /** Slots whose keys are being moved to it or from it. */
  moving: readonly number[];
  open: readonly OpenSlot[];
  /** The nodes on the other side of the moves. */
  partners: readonly Place[];
}

/** A slot being moved between a node and its partner, identified by address or id. */
interface OpenSlot {
  slot: number;
  isImporting: boolean;
  partner: string;
}

/** A node by its id and the address the cluster uses. */
export interface Place {
  id: string;
  address: string;
}

/** The line of CLUSTER NODES about the answering node itself. */
export const readOwnSlots = async (redis: Redis): Promise<OwnSlots> => {
  const text = String(await redis.call('CLUSTER', 'NODES'));
  const lines = text.split('\n').map((line) => line.trim().split(' '));
  const own = lines.find(([, , flags = '']) => flags.split(',').includes('myself')) ?? [];
  const [, , , , , , epoch, , ...slots] = own;
  const owned = new Set<number>();
  const open: OpenSlot[] = [];
  for (const range of slots) {
    const [, slot, side, partner] = /^\[(\d+)-([<>])-(\w+)/.exec(range) ?? [];
    if (slot) open.push({ slot: Number(slot), isImporting: side === '<', partner: partner! });
    else {
      const [first, last] = range.split('-').map(Number) as [number, number?];
      for (let slot = first; slot <= (last ?? first); slot++) owned.add(slot);
    }
  }
  // `host:port@bus,hostname`
  const partners = lines.flatMap(([id = '', at = '']) =>
    open.some(({ partner }) => partner === id) ? [{ id, address: at.replace(/@.*$/, '') }] : [],
  );
  return {
    epoch: Number(epoch) || 0,
    owned,
    moving: open.map(({ slot }) => slot),
    partners,
    open: open.map((slot) => {
      const { address = slot.partner } = partners.find(({ id }) => id === slot.partner) ?? {};
      return { ...slot, partner: address };
    }),
  };
};
