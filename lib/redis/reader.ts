import 'server-only';
import type { Redis } from 'ioredis';
import { sendAsking } from './asking';
import type { Purpose } from './client';
import { type Arg, decodeReply, type Key, type ReadCommand, type ReplyOf } from './commands';
import { type Raw, type ReaderParts, sendCounted } from './counted';
import { failureOf, isOfKey, isRefusal, isWrongType, unavailable } from './failure';
import { type CallOn, onNodeOf } from './redirect';
import { byNode, CURSORS, type Node, primariesOf, readyClient } from './topology';

export type Replies<T extends readonly ReadCommand[]> = { [I in keyof T]: ReplyOf<T[I]> | Error };

/** A string value, cut to the requested size; `length` is the length of the full value, bytes. */
export interface StringValue {
  bytes: Buffer;
  length: number;
}

/** Elements of a collection, a bounded page at a time. */
export interface Page {
  elements: Buffer[];
  cursor: string;
}

export type CollectionScan = 'HSCAN' | 'SSCAN' | 'ZSCAN';

/** Reads one Redis: typed read commands and bounded cursors. Counts its own hits and misses. */
export interface Reader {
  /** One command. Throws the server's refusal (WRONGTYPE …) or a 503 `Problem`. */
  read<C extends ReadCommand>(command: C): Promise<ReplyOf<C>>;
  /**
   * Many commands in one round trip per node. A command refused for its key's type or for a key that is not permitted
   * is an `Error` in its place; anything else is thrown.
   */
  readMany<const T extends readonly ReadCommand[]>(commands: T): Promise<Replies<T>>;
  /** Up to `maxBytes` of a string (default 1 MiB); null when the key does not exist. */
  getString(key: Key, maxBytes?: number): Promise<StringValue | null>;
  getStrings(keys: readonly Key[], maxBytes?: number): Promise<(StringValue | null | Error)[]>;
  /** One page of a collection: HSCAN and ZSCAN alternate field and value. `count` is a hint to the server. */
  scanCollection(
    command: CollectionScan,
    key: Key,
    cursor: string,
    options?: { count?: number; match?: Arg },
  ): Promise<Page>;
  /** At most 1000 elements of a list, or of a sorted set by rank, where member and score alternate. */
  range(command: 'LRANGE' | 'ZRANGE', key: Key, from: number, count: number): Promise<Buffer[]>;
  /** The number of keys in the connection's own database. */
  size(): Promise<number>;
}

const MEBIBYTE = 1024 * 1024;

const MAX_BATCH = 1000;

const unwrap = (parts: ReaderParts, command: ReadCommand, [error, reply]: Raw): unknown => {
  if (!error) return decodeReply(command[0], reply);
  if (isRefusal(error)) return error;
  const problem = unavailable(parts.id, error, parts.patternOf(command[1]));
  if (isOfKey(error)) return problem;
  throw problem;
};

export const makeReader = (parts: ReaderParts, purpose: Purpose = 'read'): Reader => {
  const readMany = async (commands: readonly ReadCommand[]): Promise<unknown[]> => {
    const out: unknown[] = new Array(commands.length);
    for (const [node, indexes] of byNode(parts.topology, commands, ([, key]) => key)) {
      for (let from = 0; from < indexes.length; from += MAX_BATCH) {
        const slice = indexes.slice(from, from + MAX_BATCH);
        const batch = slice.map((index) => commands[index]!);
        const replies = await sendCounted(parts, node, purpose, batch);
        slice.forEach((index, i) => {
          out[index] = unwrap(parts, commands[index]!, replies[i]!);
        });
      }
    }
    return out;
  };

  const read = async (command: ReadCommand): Promise<unknown> => {
    const [reply] = await readMany([command]);
    if (reply instanceof Error) throw reply;
    return reply;
  };

  const getStrings = async (
    keys: readonly Key[],
    maxBytes = MEBIBYTE,
  ): Promise<(StringValue | null | Error)[]> => {
    // GETRANGE 0 -1 would return everything; an empty range must start after its end.
    const range = maxBytes > 0 ? ([0, maxBytes - 1] as const) : ([1, 0] as const);
    const commands = keys.flatMap((key) => [['STRLEN', key] as const, ['GETRANGE', key, ...range] as const]);
    const replies = await readMany(commands);
    const empty: number[] = [];
    const values = keys.map((_, index): StringValue | null | Error => {
      const length = replies[index * 2] as number | Error;
      const bytes = replies[index * 2 + 1] as Buffer | Error;
      if (length instanceof Error) return length;
      if (bytes instanceof Error) return bytes;
      if (length === 0) empty.push(index);
      return { bytes, length };
    });
    // An empty string and a missing key give the same reply, so EXISTS decides.
    const exists = await readMany(empty.map((index) => ['EXISTS', keys[index]!] as const));
    empty.forEach((index, i) => {
      if (exists[i] === 0) values[index] = null;
    });
    return values;
  };

  /**
   * Runs a command that reads elements of a collection, on the collection's node. `isEmpty`: whether it may not exist.
   */
  const readElements = async <T>(
    purposeOf: Purpose,
    command: string,
    args: [Key, ...(string | Buffer | number)[]],
    read: (reply: unknown) => { value: T; isEmpty: boolean },
  ): Promise<T> => {
    const [key] = args;
    const call: CallOn<T> = (node, redis, isAsking) =>
      node.own.track(async () => {
        let reply: unknown;
        try {
          reply = await sendAsking(redis, isAsking, command, args);
        } catch (error) {
          if (isWrongType(error)) node.own.add(1, 0);
          throw error;
        }
        node.own.commands += 1;
        const { value, isEmpty } = read(reply);
        if (isEmpty) await settleEmpty(node, redis, key, isAsking);
        else node.own.add(1, 0);
        return value;
      });
    try {
      return await onNodeOf(parts, purposeOf, key, call);
    } catch (error) {
      throw failureOf(parts.id, error, parts.patternOf(key));
    }
  };

  /** An empty last page is a miss only if the key does not exist; this check itself counts as well. */
  const settleEmpty = async (node: Node, redis: Redis, key: Key, isAsking: boolean): Promise<void> => {
    const exists = await sendAsking(redis, isAsking, 'EXISTS', [key]);
    node.own.commands += 1;
    if (exists === 1) node.own.add(2, 0);
    else node.own.addMiss(redis, key, 2);
  };

  const scanCollection: Reader['scanCollection'] = (command, key, cursor, { count, match } = {}) => {
    const args: [Key, ...(string | Buffer | number)[]] = [key, cursor];
    if (match !== undefined) args.push('MATCH', match);
    args.push('COUNT', Math.min(count ?? 100, MAX_BATCH));
    return readElements(CURSORS, command, args, (reply) => {
      const [next, elements] = reply as [Buffer, Buffer[]];
      const page = { elements, cursor: next.toString('latin1') };
      return { value: page, isEmpty: elements.length === 0 && page.cursor === '0' };
    });
  };

  const range: Reader['range'] = (command, key, from, count) => {
    // An end of -1 would mean the last element.
    const to = from + Math.max(1, Math.min(count, MAX_BATCH)) - 1;
    const scores = command === 'ZRANGE' ? ['WITHSCORES'] : [];
    return readElements(purpose, command, [key, from, to, ...scores], (reply) => {
      const elements = reply as Buffer[];
      return { value: elements, isEmpty: elements.length === 0 };
    });
  };

  const size = async (): Promise<number> => {
    let total = 0;
    for (const node of await primariesOf(parts.id, parts.topology)) {
      const redis = await readyClient(parts.id, node, purpose);
      total += await redis.dbsize().catch((error) => {
        throw unavailable(parts.id, error);
      });
      node.own.commands += 1;
    }
    return total;
  };

  return {
    read: read as Reader['read'],
    readMany: readMany as unknown as Reader['readMany'],
    getStrings,
    getString: async (key, maxBytes) => {
      const [value] = await getStrings([key], maxBytes);
      if (value instanceof Error) throw value;
      return value ?? null;
    },
    scanCollection,
    range,
    size,
  };
};
