import { catalogOf } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { scanKeys } from '@/lib/redis/scan';
import type { Collector, WalkedKeys } from '@/lib/walk/collector';

const LENGTH = {
  string: 'STRLEN',
  list: 'LLEN',
  set: 'SCARD',
  zset: 'ZCARD',
  hash: 'HLEN',
  stream: 'XLEN',
} as const;

const chunkOf = async (handle: ConnectionHandle, keys: Buffer[]): Promise<WalkedKeys> => {
  const { reader } = handle;
  const identified = await identifyKeys(reader, catalogOf(handle), keys);
  const types = (await reader.readMany(keys.map((key) => ['TYPE', key] as const))) as string[];
  const ttls = (await reader.readMany(keys.map((key) => ['PTTL', key] as const))) as number[];
  const memory = (await reader.readMany(keys.map((key) => ['MEMORY USAGE', key] as const))) as number[];
  const lengths = (await reader.readMany(
    keys.map((key, i) => [LENGTH[types[i] as keyof typeof LENGTH], key] as const),
  )) as number[];
  const none = keys.map(() => null);
  return {
    keys,
    found: identified,
    types,
    ttls,
    memory,
    lengths,
    encodings: none,
    idle: none,
    at: Date.now(),
    refused: null,
  };
};

/** Walks the keyspace once with one collector, with plain commands. */
export const walkCollector = async (handle: ConnectionHandle, collector: Collector): Promise<void> => {
  for await (const { keys } of scanKeys(handle, { signal: new AbortController().signal }))
    await collector.add(await chunkOf(handle, [...keys]));
};
