import 'server-only';

/** A key or argument on the wire. Keys are bytes: strings are for literals only. */
export type Arg = Buffer | string | number;
export type Key = Buffer;

/** Epoch ms, -1 never. As digits where a number would round it, up to 2^63 - 1: Redis accepts any integer as expiry. */
export type Expiry = number | string;

/**
 * The read commands the console may send, with their replies. Anything else does not compile: no KEYS, and nothing that
 * returns a complete collection or an unbounded value.
 */
export interface ReadCommands {
  TYPE: { args: [Key]; reply: string };
  PTTL: { args: [Key]; reply: number };
  /** By the server's clock. Redis ≥ 7. */
  PEXPIRETIME: { args: [Key]; reply: Expiry };
  EXISTS: { args: [Key]; reply: number };
  STRLEN: { args: [Key]; reply: number };
  /** Inclusive byte range of a string. */
  GETRANGE: { args: [Key, number, number]; reply: Buffer };
  HLEN: { args: [Key]; reply: number };
  HSTRLEN: { args: [Key, Arg]; reply: number };
  HGET: { args: [Key, Arg]; reply: Buffer | null };
  HMGET: { args: [Key, ...Arg[]]; reply: (Buffer | null)[] };
  /** Milliseconds for each field; -1 without a TTL, -2 for a missing one. Redis ≥ 7.4, Valkey ≥ 9. */
  HPTTL: { args: [Key, 'FIELDS', number, ...Arg[]]; reply: number[] | null };
  SCARD: { args: [Key]; reply: number };
  SISMEMBER: { args: [Key, Arg]; reply: number };
  SMISMEMBER: { args: [Key, ...Arg[]]; reply: number[] };
  ZCARD: { args: [Key]; reply: number };
  ZSCORE: { args: [Key, Arg]; reply: Buffer | null };
  /** Members between two scores; `(` in front of one excludes it. */
  ZCOUNT: { args: [Key, string, string]; reply: number };
  ZRANK: { args: [Key, Arg]; reply: number | null };
  ZREVRANK: { args: [Key, Arg]; reply: number | null };
  LLEN: { args: [Key]; reply: number };
  /** The first index of an element within the first MAXLEN elements. */
  LPOS: { args: [Key, Arg, 'MAXLEN', number]; reply: number | null };
  XLEN: { args: [Key]; reply: number };
  /** Entries between two ids, inclusive, bounded. */
  XRANGE: { args: [Key, string, string, 'COUNT', number]; reply: [Buffer, Buffer[]][] };
  /** Newest first, beginning with the later id. */
  XREVRANGE: { args: [Key, string, string, 'COUNT', number]; reply: [Buffer, Buffer[]][] };
  /** Number of elements of a vector set. Redis ≥ 8. */
  VCARD: { args: [Key]; reply: number };
  /** Names and values, alternating. */
  VINFO: { args: [Key]; reply: unknown[] | null };
  /** Names of elements at random, each once: the caller has checked that there are few. */
  VRANDMEMBER: { args: [Key, number]; reply: Buffer[] | null };
  /** The JSON of an element: the caller has checked that the key is small. */
  VGETATTR: { args: [Key, Buffer]; reply: Buffer | null };
  /** The vector of an element, each number as text. */
  VEMB: { args: [Key, Buffer]; reply: Buffer[] | null };
  /** Names and values, alternating, for each group. */
  'XINFO GROUPS': { args: [Key]; reply: unknown[][] };
  /** Names and values for each consumer: the caller has checked that there are few. */
  'XINFO CONSUMERS': { args: [Key, Buffer]; reply: unknown[][] };
  /** Pending entries, bounded: id, consumer, ms since delivery, number of deliveries. */
  XPENDING: {
    args: [Key, Buffer, string, string, number];
    reply: [id: Buffer, consumer: Buffer, number, number][];
  };
  /** For complete strings, if short, or for a range of bytes. */
  BITCOUNT: { args: [Key] | [Key, number, number]; reply: number };
  /** The index of the first set bit in a range of bytes; -1 for none. */
  BITPOS: { args: [Key, 1, number, number]; reply: number };
  /** The complete value in the server's format: only for keys whose memory was checked. */
  DUMP: { args: [Key]; reply: Buffer | null };
  'OBJECT ENCODING': { args: [Key]; reply: string | null };
  /** Seconds. Refused by policies that count frequency. */
  'OBJECT IDLETIME': { args: [Key]; reply: number | null };
  'OBJECT REFCOUNT': { args: [Key]; reply: number | null };
  /** Refused unless the policy counts frequency. */
  'OBJECT FREQ': { args: [Key]; reply: number | null };
  /**
   * Bytes, estimated from five nested elements or from `SAMPLES`; with `SAMPLES 0` from all, for few elements only.
   * Counts as neither hit nor miss.
   */
  'MEMORY USAGE': { args: [Key] | [Key, 'SAMPLES', number]; reply: number | null };
  /**
   * RedisTimeSeries: sums of the points between two times (epoch ms, inclusive) in buckets of a given length, bounded.
   */
  'TS.RANGE': {
    args: [Key, number, number, 'COUNT', number, 'AGGREGATION', 'SUM', number];
    reply: [number, Buffer][];
  };
}

export type ReadName = keyof ReadCommands;
export type ReadCommand = { [N in ReadName]: readonly [N, ...ReadCommands[N]['args']] }[ReadName];
export type ReplyOf<C extends ReadCommand> = ReadCommands[C[0]]['reply'];

/** The effect of one reply on the server's counters; `unknown` when only the key's existence can tell. */
export type Effect = 'hit' | 'miss' | 'none' | 'unknown';

const byNumber = (reply: unknown): Effect => ((reply as number) > 0 ? 'hit' : 'miss');
const isNil = (reply: unknown): boolean => reply === null;

/**
 * Redis counts one hit or miss per key lookup (`lookupKeyRead`). An existing collection is never empty, so 0 elements
 * is a miss; a missing field or member looks the same as a missing key, hence `unknown`.
 */
export const EFFECTS: Record<ReadName, (reply: unknown) => Effect> = {
  TYPE: (reply) => (reply === 'none' ? 'miss' : 'hit'),
  PTTL: (reply) => (reply === -2 ? 'miss' : 'hit'),
  PEXPIRETIME: (reply) => (reply === -2 ? 'miss' : 'hit'),
  EXISTS: byNumber,
  STRLEN: (reply) => ((reply as number) > 0 ? 'hit' : 'unknown'),
  GETRANGE: (reply) => ((reply as Buffer).length > 0 ? 'hit' : 'unknown'),
  HLEN: byNumber,
  HSTRLEN: (reply) => ((reply as number) > 0 ? 'hit' : 'unknown'),
  HGET: (reply) => (isNil(reply) ? 'unknown' : 'hit'),
  HMGET: (reply) => ((reply as unknown[]).every(isNil) ? 'unknown' : 'hit'),
  HPTTL: (reply) => ((reply as number[] | null)?.some((ttl) => ttl !== -2) ? 'hit' : 'unknown'),
  SCARD: byNumber,
  SISMEMBER: (reply) => (reply === 1 ? 'hit' : 'unknown'),
  SMISMEMBER: (reply) => ((reply as number[]).some((r) => r === 1) ? 'hit' : 'unknown'),
  ZCARD: byNumber,
  ZSCORE: (reply) => (isNil(reply) ? 'unknown' : 'hit'),
  ZCOUNT: (reply) => ((reply as number) > 0 ? 'hit' : 'unknown'),
  ZRANK: (reply) => (isNil(reply) ? 'unknown' : 'hit'),
  ZREVRANK: (reply) => (isNil(reply) ? 'unknown' : 'hit'),
  LLEN: byNumber,
  LPOS: (reply) => (isNil(reply) ? 'unknown' : 'hit'),
  // A stream may be empty.
  XLEN: (reply) => ((reply as number) > 0 ? 'hit' : 'unknown'),
  XRANGE: (reply) => ((reply as unknown[]).length > 0 ? 'hit' : 'unknown'),
  XREVRANGE: (reply) => ((reply as unknown[]).length > 0 ? 'hit' : 'unknown'),
  VCARD: byNumber,
  VINFO: (reply) => (isNil(reply) ? 'miss' : 'hit'),
  VRANDMEMBER: (reply) => ((reply as unknown[] | null)?.length ? 'hit' : 'miss'),
  VGETATTR: (reply) => (isNil(reply) ? 'unknown' : 'hit'),
  VEMB: (reply) => (isNil(reply) ? 'unknown' : 'hit'),
  'XINFO GROUPS': () => 'hit',
  'XINFO CONSUMERS': () => 'hit',
  XPENDING: () => 'hit',
  BITPOS: (reply) => ((reply as number) >= 0 ? 'hit' : 'unknown'),
  BITCOUNT: (reply) => ((reply as number) > 0 ? 'hit' : 'unknown'),
  DUMP: (reply) => (isNil(reply) ? 'miss' : 'hit'),
  'OBJECT ENCODING': (reply) => (isNil(reply) ? 'miss' : 'hit'),
  'OBJECT IDLETIME': (reply) => (isNil(reply) ? 'miss' : 'hit'),
  'OBJECT REFCOUNT': (reply) => (isNil(reply) ? 'miss' : 'hit'),
  'OBJECT FREQ': (reply) => (isNil(reply) ? 'miss' : 'hit'),
  'MEMORY USAGE': () => 'none',
  // A missing series is an error, not an empty one.
  'TS.RANGE': () => 'hit',
};

const TEXT = new Set<ReadName>(['TYPE', 'OBJECT ENCODING']);

/** Decodes replies that are text by definition; everything else stays bytes and numbers. */
export const decodeReply = (name: ReadName, reply: unknown): unknown => {
  // Only the client for exact reads returns integers as text.
  if (typeof reply === 'string') return Number.isSafeInteger(Number(reply)) ? Number(reply) : reply;
  return TEXT.has(name) && Buffer.isBuffer(reply) ? reply.toString('latin1') : reply;
};

/** Splits a two-word command for the wire. */
export const wireArgs = (command: readonly [string, ...Arg[]]): [string, (string | Buffer | number)[]] => {
  const [name, ...args] = command;
  const [first, ...more] = name.split(' ');
  return [first!, [...more, ...args]];
};

const LENGTHS = {
  string: 'STRLEN',
  hash: 'HLEN',
  list: 'LLEN',
  set: 'SCARD',
  zset: 'ZCARD',
  stream: 'XLEN',
} as const;
/** The types that every server has. */
export type CommonType = keyof typeof LENGTHS;

export const isCommonType = (type: string): type is CommonType => Object.hasOwn(LENGTHS, type);

/** The command that reads the length of a key of this type; null for types of modules, and for vector sets. */
export const lengthCommand = (type: string): (typeof LENGTHS)[CommonType] | null =>
  isCommonType(type) ? LENGTHS[type] : null;
