import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Problem } from '@/lib/errors';
import { type Key, lengthCommand } from '@/lib/redis/commands';
import { withoutPermission } from '@/lib/redis/failure';
import { measuresReads } from '@/lib/redis/send-read';
import { MAX_REPLY_BYTES, MAX_REPLY_ELEMENTS, MAX_SCAN_COUNT } from './limits';
import { commandRefused } from './refusals';
import type { Line } from './typed-line';
import { hasOption, namedFields, nameOf, numberAt, OF_FIELDS, optionAt, wordAt } from './words';

/** Answer a number or a few, at a cost that does not grow with the key. */
const SMALL = new Set(
  (
    'exists type ttl pttl expiretime pexpiretime touch object|encoding object|freq object|idletime object|refcount ' +
    'object|help memory|usage strlen hlen llen scard zcard xlen ping time dbsize randomkey scan getbit sismember smismember ' +
    'hexists hstrlen zscore zmscore zrank zrevrank zcount geopos geohash geodist pfcount ' +
    'httl hpttl hexpiretime hpexpiretime vcard vdim vinfo vemb vismember'
  ).split(' '),
);
/** Writes at a cost that does not grow with a key, and which replace none and answer no value. All others are measured. */
const SMALL_WRITES = new Set(
  (
    'append incr incrby incrbyfloat decr decrby setnx setbit setrange bitfield unlink persist touch hset hmset hsetnx hdel hincrby ' +
    'hincrbyfloat sadd srem zadd zrem zincrby geoadd lpush rpush lpushx rpushx lset pfadd xack xdel xsetid xgroup|create ' +
    'xgroup|setid xgroup|createconsumer msetnx renamenx smove hexpire hpexpire hexpireat hpexpireat hpersist hsetex ' +
    'vrem vsetattr'
  ).split(' '),
);
/** Writes that answer values, or copy them: their bytes count too. */
const ANSWERING_WRITES = new Set(
  (
    'getdel getset getex hgetex hgetdel spop lpop rpop lmove rpoplpush lmpop zmpop zpopmin zpopmax copy sunionstore sinterstore sdiffstore ' +
    'zunionstore zinterstore zdiffstore zrangestore geosearchstore bitop pfmerge xclaim xautoclaim'
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
  const [start, stop] = [numberAt(call, 2), numberAt(call, 3)].map((place) =>
    place < 0 ? Math.max(0, length + place) : place,
  ) as [number, number];
  return Math.max(0, Math.min(stop, length - 1) - start + 1);
};

const optionCount =
  (option: string, behind: number, from: number, fallback = Number.POSITIVE_INFINITY): Asked =>
  ({ call }, length) => {
    const at = optionAt(call, option, from);
    const count = at < 0 ? fallback : numberAt(call, at + behind);
    return count < 0 ? length : Math.min(length, count);
  };

const countAt =
  (at: number): Asked =>
  ({ call }, length) => {
    const count = call.args.length > at ? numberAt(call, at) : 1;
    // A negative one may answer an element more than once.
    return count < 0 ? -count : Math.min(length, count);
  };

/** Entries that MAXLEN leaves no room for; all with MINID. */
const trimmed: Asked = ({ call }, length) => {
  const at = wordAt(call, 2) === 'NOMKSTREAM' ? 3 : 2;
  const strategy = wordAt(call, at);
  if (strategy === 'MINID') return length;
  if (strategy !== 'MAXLEN') return 0;
  return Math.max(0, length - numberAt(call, ['~', '='].includes(wordAt(call, at + 1)) ? at + 2 : at + 1));
};

/** All where the expiry that an EXPIRE gives is over at once, which deletes the key. The server's clock may be ahead. */
const expired: Asked = ({ call }, length) => {
  const name = nameOf(call);
  const ms = numberAt(call, 2) * (name.startsWith('p') ? 1 : 1000);
  const left = name.endsWith('at') ? ms - Date.now() - MAX_CLOCK_SKEW_MS : ms;
  return left > 0 ? 0 : length;
};

const MAX_CLOCK_SKEW_MS = 60_000;
const scanned: Asked = (_, length) => Math.min(length, MAX_SCAN_COUNT);
const byLimit = optionCount('LIMIT', 2, 4);
const ONE: Asked = () => 1;
const NONE: Asked = () => 0;

/** How many elements of a key of this length a command answers; all where it is not listed. */
const ASKED: Readonly<Record<string, Asked>> = {
  lrange: span,
  zrevrange: span,
  zrange: (line, length) => {
    return (hasOption(line.call, 'BYSCORE', 4) ? byLimit : span)(line, length);
  },
  zrangebyscore: byLimit,
  zrevrangebyscore: byLimit,
  srandmember: countAt(2),
  zrandmember: countAt(2),
  vrandmember: countAt(2),
  hrandfield: countAt(2),
  spop: countAt(2),
  lpop: countAt(2),
  rpop: countAt(2),
  zpopmin: countAt(2),
  zpopmax: countAt(2),
  lmpop: optionCount('COUNT', 1, 3, 1),
  zmpop: optionCount('COUNT', 1, 3, 1),
  xrange: optionCount('COUNT', 1, 4),
  xrevrange: optionCount('COUNT', 1, 4),
  hscan: scanned,
  sscan: scanned,
  zscan: scanned,
  lindex: ONE,
  lmove: ONE,
  rpoplpush: ONE,
  hget: ONE,
  hmget: ({ call }) => namedFields(call).length,
  hgetex: ({ call }) => namedFields(call).length,
  hgetdel: ({ call }) => namedFields(call).length,
  vgetattr: ONE,
  // The short form, and XINFO, answer groups and consumers: these have no length that could be asked for.
  xpending: ({ call }) => (call.args.length > 3 ? numberAt(call, wordAt(call, 3) === 'IDLE' ? 7 : 5) : 0),
  'xinfo|groups': NONE,
  'xinfo|consumers': NONE,
  xclaim: ({ call }) => call.args.length,
  xautoclaim: optionCount('COUNT', 1, 6, 100),
  xadd: trimmed,
  xtrim: trimmed,
  zremrangebyrank: span,
  ltrim: (line, length) => length - span(line, length),
  expire: expired,
  pexpire: expired,
  expireat: expired,
  pexpireat: expired,
};

interface Size {
  type: string;
  length: number;
}

/** Null for a key that is missing, or of a type that no command here reads. */
const sizeOf = async (ctx: ReadContext, key: Key): Promise<Size | null> => {
  const type = await ctx.reader.read(['TYPE', key]);
  const command = type === 'vectorset' ? 'VCARD' : lengthCommand(type);
  if (!command) return null;
  const [length] = await ctx.reader.readMany([[command, key]]);
  // It became another type: the server refuses the line.
  return typeof length === 'number' ? { type, length } : null;
};

/** Bytes that a key takes, of a collection estimated from some elements unless `isExact`. Unknown is above every limit. */
const memoryOf = async (ctx: ReadContext, key: Key, isExact = false): Promise<number> => {
  const bytes = ctx.reader.read(isExact ? ['MEMORY USAGE', key, 'SAMPLES', 0] : ['MEMORY USAGE', key]);
  return (await bytes.catch(withoutPermission(Number.POSITIVE_INFINITY))) ?? 0;
};

/** Bytes of the fields that a line names. */
const bytesOfFields = async (ctx: ReadContext, { call, keys }: Line): Promise<number> => {
  const lengths = await ctx.reader.readMany(
    namedFields(call).map((field) => ['HSTRLEN', keys[0]!.identity.key, field] as const),
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
  if (name === 'setrange') return numberAt(call, 2);
  if (name === 'setbit') return numberAt(call, 2) / 8;
  if (name !== 'bitfield') return 0;
  const offsets = call.args.flatMap((_, at) => {
    if (!['SET', 'INCRBY', 'GET'].includes(wordAt(call, at))) return [];
    const [, hash, offset] = /^(#?)(\d+)$/.exec(wordAt(call, at + 2)) ?? [];
    return [(Number(offset ?? 0) * (hash ? 64 : 1)) / 8];
  });
  return Math.max(0, ...offsets);
};

const isSmall = ({ kind, call }: Line): boolean => (kind === 'read' ? SMALL : SMALL_WRITES).has(nameOf(call));

/** Whether values are answered or copied, so that bytes count and not only elements. */
const movesValues = ({ kind, call }: Line): boolean =>
  kind === 'read' ||
  ANSWERING_WRITES.has(nameOf(call)) ||
  (nameOf(call) === 'set' && hasOption(call, 'GET', 3));

const isUnbounded = async (ctx: ReadContext, line: Line): Promise<boolean> => {
  const name = nameOf(line.call);
  let [elements, bytes] = [0, 0];
  // A name moves at no cost, but what had it before is deleted.
  for (const { identity } of name === 'rename' ? line.keys.slice(1) : line.keys) {
    const size = await sizeOf(ctx, identity.key);
    if (!size) continue;
    const asked = size.type === 'string' ? 1 : (ASKED[name]?.(line, size.length) ?? size.length);
    elements += asked;
    if (!movesValues(line) || asked === 0 || elements > MAX_REPLY_ELEMENTS) continue;
    if (size.type === 'string') bytes += size.length;
    // An average: what is sent in the end is bounded where it is read.
    else bytes += ((await memoryOf(ctx, identity.key)) * asked) / Math.max(1, size.length);
  }
  if (name === 'lcs') return bytes > MAX_COMPARED_BYTES;
  if (OF_FIELDS.has(name)) bytes = await bytesOfFields(ctx, line);
  return elements > MAX_REPLY_ELEMENTS || bytes > MAX_REPLY_BYTES;
};

/** Whether a complete collection is larger than what may be sent. */
const isLargeKey = async (ctx: ReadContext, key: Key): Promise<boolean> => {
  const size = await sizeOf(ctx, key);
  if (!size || size.type === 'string') return false;
  return size.length > MAX_REPLY_ELEMENTS || (await memoryOf(ctx, key, true)) > MAX_REPLY_BYTES;
};

/** Whether the reply is measured where it is read, because no length tells its size. */
export const isMeasured = (line: Line): boolean => line.kind === 'read' && !isSmall(line);

export const tooLong = (instead = 'Open the key, whose page reads it piece by piece.'): Problem =>
  commandRefused('keys', `This is more than 10 000 elements, or 1 MiB. ${instead}`);

/** Throws 400 where the answer, or the work, would be too large: sizes are asked for before the line is sent. */
export const refuseUnbounded = async (ctx: ReadContext, line: Line): Promise<void> => {
  if (farthestByte(line) > MAX_OFFSET_BYTES)
    throw commandRefused('keys', 'The string would grow beyond 8 MiB. Import the value instead.');
  if (isSmall(line)) return;
  if (await isUnbounded(ctx, line)) throw tooLong(INSTEAD[nameOf(line.call)]);
  if (!isMeasured(line) || (await measuresReads(ctx.connection, line.call))) return;
  for (const { identity } of line.keys)
    if (await isLargeKey(ctx, identity.key))
      throw commandRefused(
        'keys',
        'This server runs no read-only scripts, which measure an answer, and the key has more than 10 000 elements, or 1 MiB. Open the key, whose page reads it piece by piece.',
      );
};

/** The arguments as they are sent: steps of a scan, and samples, are bounded. */
export const boundedArguments = ({ call }: Pick<Line, 'call'>): readonly Buffer[] => {
  const name = nameOf(call);
  if (!['scan', 'hscan', 'sscan', 'zscan', 'memory|usage'].includes(name)) return call.args;
  const args = [...call.args];
  for (let at = name === 'scan' ? 2 : 3; at < args.length; at++) {
    const option = wordAt(call, at);
    // What follows is its value, whatever it is called.
    if (['MATCH', 'TYPE', 'COUNT', 'SAMPLES'].includes(option)) at += 1;
    if (option !== 'COUNT' && option !== 'SAMPLES') continue;
    const count = numberAt(call, at);
    // No samples are all elements.
    if (count > MAX_SCAN_COUNT || (option === 'SAMPLES' && count === 0))
      args[at] = Buffer.from(String(MAX_SCAN_COUNT));
  }
  return args;
};
