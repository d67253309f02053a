import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { isNotPermitted } from '@/lib/redis/failure';
import { MAX_REPLY_BYTES, MAX_REPLY_ELEMENTS, MAX_SCAN_COUNT } from './limits';
import { commandRefused } from './refusals';
import type { Line } from './typed-line';
import { hasOption, nameOf, numberAt, optionAt, wordAt } from './words';

/** Answer a number or a few, at a cost that does not grow with the key. */
const SMALL = new Set(
  (
    'exists type ttl pttl expiretime pexpiretime touch object|encoding object|freq object|idletime object|refcount ' +
    'object|help memory|usage strlen hlen llen scard zcard xlen ping time dbsize randomkey scan getbit sismember smismember ' +
    'hexists hstrlen zscore zmscore zrank zrevrank zcount zlexcount geopos geohash geodist pfcount xinfo|groups xinfo|consumers ' +
    'xinfo|help'
  ).split(' '),
);
/** Writes that answer values, or whose cost grows with a key. */
const LARGE_WRITES = new Set(
  (
    'del getdel getset getex set spop lpop rpop lmove rpoplpush lmpop zmpop zpopmin zpopmax copy smove sunionstore sinterstore ' +
    'sdiffstore zunionstore zinterstore zdiffstore zrangestore geosearchstore bitop pfmerge xclaim xautoclaim'
  ).split(' '),
);
/** What is bounded instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  smembers: 'Use SSCAN.',
  hgetall: 'Use HSCAN.',
  hkeys: 'Use HSCAN.',
  zrange: 'Ask for a smaller range, or use ZSCAN.',
  lrange: 'Ask for a smaller range.',
  xrange: 'Add COUNT.',
  xrevrange: 'Add COUNT.',
  del: 'Use UNLINK, which frees it beside the commands of others.',
};

type Asked = (line: Line, length: number) => number;

/** Elements between two places, which count from the end where they are negative. */
const span: Asked = ({ call }, length) => {
  const [start, stop] = [numberAt(call, 2), numberAt(call, 3)].map((at) => {
    if (at === null) return null;
    return at < 0 ? Math.max(0, length + at) : at;
  }) as [number | null, number | null];
  if (start === null || stop === null) return length;
  return Math.max(0, Math.min(stop, length - 1) - start + 1);
};

const optionCount =
  (option: string, behind: number, from: number, fallback?: number): Asked =>
  ({ call }, length) => {
    const at = optionAt(call, option, from);
    const count = at < 0 ? (fallback ?? null) : numberAt(call, at + behind);
    return count === null || count < 0 ? length : Math.min(length, count);
  };

const countAt =
  (at: number): Asked =>
  ({ call }, length) => {
    const count = call.args.length > at ? numberAt(call, at) : 1;
    if (count === null) return length;
    // A negative one may answer an element more than once.
    return count < 0 ? -count : Math.min(length, count);
  };

const scanned: Asked = (_, length) => Math.min(length, MAX_SCAN_COUNT);
const byLimit = optionCount('LIMIT', 2, 4);
const ONE: Asked = () => 1;

/** How many elements of a key of this length a command answers; all where it is not listed. */
const ASKED: Readonly<Record<string, Asked>> = {
  lrange: span,
  zrevrange: span,
  zrange: (line, length) => {
    const isByPlace = !['BYSCORE', 'BYLEX'].some((word) => hasOption(line.call, word, 4));
    return (isByPlace ? span : byLimit)(line, length);
  },
  ...{ zrangebyscore: byLimit, zrevrangebyscore: byLimit, zrangebylex: byLimit, zrevrangebylex: byLimit },
  ...{ srandmember: countAt(2), zrandmember: countAt(2), hrandfield: countAt(2), spop: countAt(2) },
  ...{ lpop: countAt(2), rpop: countAt(2), zpopmin: countAt(2), zpopmax: countAt(2) },
  ...{ lmpop: optionCount('COUNT', 1, 3, 1), zmpop: optionCount('COUNT', 1, 3, 1) },
  ...{ xrange: optionCount('COUNT', 1, 4), xrevrange: optionCount('COUNT', 1, 4) },
  ...{ hscan: scanned, sscan: scanned, zscan: scanned },
  ...{ lindex: ONE, lmove: ONE, rpoplpush: ONE, smove: ONE },
  hget: ONE,
  hmget: ({ call }) => call.args.length - 2,
  xpending: ({ call }) => Math.max(0, ...[5, 7].map((at) => numberAt(call, at) ?? 0)),
  ...{ xclaim: ({ call }) => call.args.length, xautoclaim: optionCount('COUNT', 1, 6, 100) },
};

const LENGTHS = {
  string: 'STRLEN',
  hash: 'HLEN',
  list: 'LLEN',
  set: 'SCARD',
  zset: 'ZCARD',
  stream: 'XLEN',
} as const;

interface Size {
  type: string;
  length: number;
  /** Null where our user may not ask. */
  bytes: number | null;
}

const memoryOf = async (ctx: ReadContext, key: Key): Promise<number | null> => {
  try {
    return await ctx.reader.read(['MEMORY USAGE', key]);
  } catch (error) {
    if (isNotPermitted(error)) return null;
    throw error;
  }
};

/** Null for a key that is missing, or of a type that no command here reads. */
const sizeOf = async (ctx: ReadContext, key: Key): Promise<Size | null> => {
  const type = await ctx.reader.read(['TYPE', key]);
  if (!Object.hasOwn(LENGTHS, type)) return null;
  const [length] = await ctx.reader.readMany([[LENGTHS[type as keyof typeof LENGTHS], key]]);
  // It became another type: the server refuses the line.
  if (typeof length !== 'number') return null;
  return { type, length, bytes: type === 'string' ? length : await memoryOf(ctx, key) };
};

/** Bytes of the fields that a line names. */
const bytesOfFields = async (ctx: ReadContext, { call, keys }: Line): Promise<number> => {
  const lengths = await ctx.reader.readMany(
    call.args.slice(2).map((field) => ['HSTRLEN', keys[0]!.identity.key, field] as const),
  );
  return lengths.reduce<number>((sum, length) => sum + (typeof length === 'number' ? length : 0), 0);
};

/** LCS takes memory for the product of both lengths. */
const MAX_COMPARED_BYTES = 4096;
/** A string grows to where it is written. */
const MAX_OFFSET_BYTES = 8 * 2 ** 20;

/** The farthest byte of a string that a line writes. */
const farthestByte = ({ call }: Line): number => {
  const name = nameOf(call);
  if (name === 'setrange') return numberAt(call, 2) ?? 0;
  if (name === 'setbit') return (numberAt(call, 2) ?? 0) / 8;
  if (name !== 'bitfield') return 0;
  const offsets = call.args.flatMap((_, at) => {
    if (!['SET', 'INCRBY', 'GET'].includes(wordAt(call, at))) return [];
    const [, hash, offset] = /^(#?)(\d{1,15})$/.exec(wordAt(call, at + 2)) ?? [];
    return [(Number(offset ?? 0) * (hash ? 64 : 1)) / 8];
  });
  return Math.max(0, ...offsets);
};

const asks = (line: Line): boolean =>
  line.kind === 'read' ? !SMALL.has(nameOf(line.call)) : LARGE_WRITES.has(nameOf(line.call));

const isUnbounded = async (ctx: ReadContext, line: Line): Promise<boolean> => {
  const name = nameOf(line.call);
  // Of a plain SET nothing is answered.
  if (name === 'set' && !hasOption(line.call, 'GET', 3)) return false;
  let [elements, bytes] = [0, 0];
  for (const { identity } of line.keys) {
    const size = await sizeOf(ctx, identity.key);
    if (!size) continue;
    const asked = size.type === 'string' ? 1 : (ASKED[name]?.(line, size.length) ?? size.length);
    elements += asked;
    if (name === 'del') continue;
    bytes += size.type === 'string' ? size.length : ((size.bytes ?? 0) * asked) / Math.max(1, size.length);
  }
  if (name === 'lcs') return bytes > MAX_COMPARED_BYTES;
  if (name === 'hget' || name === 'hmget') bytes = await bytesOfFields(ctx, line);
  return elements > MAX_REPLY_ELEMENTS || bytes > MAX_REPLY_BYTES;
};

/** Throws 400 where the answer, or the work, would be too large: sizes are asked for before the line is sent. */
export const refuseUnbounded = async (ctx: ReadContext, line: Line): Promise<void> => {
  if (farthestByte(line) > MAX_OFFSET_BYTES)
    throw commandRefused('keys', 'The string would grow beyond 8 MiB. Import the value instead.');
  if (!asks(line) || !(await isUnbounded(ctx, line))) return;
  const instead = INSTEAD[nameOf(line.call)] ?? 'Open the key, whose page reads it piece by piece.';
  throw commandRefused('keys', `This is more than 10 000 elements, or 1 MiB. ${instead}`);
};

/** The arguments as they are sent: steps of a scan are bounded. */
export const boundedArguments = ({ call }: Line): readonly Buffer[] => {
  const name = nameOf(call);
  if (!['scan', 'hscan', 'sscan', 'zscan'].includes(name)) return call.args;
  const from = name === 'scan' ? 2 : 3;
  const args = [...call.args];
  for (let at = from; at < args.length; at++)
    if (wordAt(call, at) === 'COUNT' && (numberAt(call, at + 1) ?? 0) > MAX_SCAN_COUNT)
      args[at + 1] = Buffer.from(String(MAX_SCAN_COUNT));
  return args;
};
