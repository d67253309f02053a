import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRedis } from '@/scripts/redis-server.mjs';
import { type Arguments, type CommandTable, findCommand } from './command-table';
import { parseInfo } from './info';
import { lookupsOf } from './lookups';
import { readCommandTable } from './shipped-table';

let server: Awaited<ReturnType<typeof startRedis>>;
let redis: Redis;
let table: CommandTable;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  table = await readCommandTable(redis);
});
beforeEach(async () => {
  await redis.flushall();
  await redis
    .pipeline()
    .mset('s', 'hello', 't', 'hallo', 'n', '5')
    .hset('h', 'f', '1', 'g', '2')
    .rpush('l', '3', '1', '2')
    .sadd('set', 'a', 'b')
    .sadd('other', 'b', 'c')
    .zadd('z', 1, 'a', 2, 'b')
    .zadd('y', 1, 'a')
    .geoadd('geo', 13.4, 52.5, 'berlin')
    .pfadd('p', 'a')
    .pfadd('q', 'b')
    .xadd('x', '1-1', 'k', 'v')
    .xgroup('CREATE', 'x', 'group', '0')
    .set('weight_1', '3')
    .exec();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const argumentsOf = (call: readonly string[]): Arguments => ({
  count: call.length,
  word: (index) => (call[index] ?? '').toLowerCase(),
});

const counters = async (): Promise<number> => {
  const info = parseInfo(await redis.info('stats'));
  return Number(info.get('keyspace_hits')) + Number(info.get('keyspace_misses'));
};

const READS = `
GET s|GET none|GET h|MGET s none t h|MGET s|EXISTS s none s|STRLEN s|GETRANGE s 0 1|SUBSTR s 0 1|GETBIT s 1|BITCOUNT s
BITCOUNT none|BITPOS s 1|BITFIELD_RO s GET u8 0|LCS s t|LCS s none|TYPE s|TYPE none|TTL s|PTTL none|EXPIRETIME s|PEXPIRETIME s
TOUCH s none|DUMP s|DUMP none|OBJECT ENCODING s|OBJECT REFCOUNT s|OBJECT IDLETIME s|OBJECT HELP|MEMORY USAGE s|MEMORY USAGE none
HGET h f|HGET h none|HGET none f|HMGET h f none|HGETALL h|HKEYS h|HVALS h|HLEN h|HSTRLEN h f|HEXISTS h f|HRANDFIELD h 2|HSCAN h 0
HTTL h FIELDS 1 f|HPTTL h FIELDS 2 f none|HPTTL none FIELDS 1 f|HEXPIRETIME h FIELDS 1 f|HPEXPIRETIME s FIELDS 1 f
LLEN l|LRANGE l 0 -1|LINDEX l 0|LPOS l 1|LRANGE none 0 -1|SMEMBERS set|SISMEMBER set a|SMISMEMBER set a z|SCARD set|SRANDMEMBER set
SRANDMEMBER set 2|SSCAN set 0|SINTER set other|SINTER set none other|SUNION set other none|SDIFF set other|SINTERCARD 2 set other
ZSCORE z a|ZMSCORE z a b|ZRANGE z 0 -1|ZRANGE z (1 2 BYSCORE|ZREVRANGE z 0 -1|ZRANGEBYSCORE z 0 9|ZREVRANGEBYSCORE z 9 0
ZRANGEBYLEX z - +|ZREVRANGEBYLEX z + -|ZCARD z|ZCOUNT z 0 9|ZLEXCOUNT z - +|ZRANK z a|ZREVRANK z a|ZRANDMEMBER z|ZSCAN z 0
ZUNION 2 z y|ZINTER 2 z none|ZDIFF 2 z y WITHSCORES|ZINTERCARD 2 z y LIMIT 1
GEOPOS geo berlin|GEODIST geo berlin berlin|GEOHASH geo berlin|GEOSEARCH geo FROMMEMBER berlin BYRADIUS 1 km
GEORADIUS geo 13 52 100 km|GEORADIUS_RO geo 13 52 100 km|GEORADIUSBYMEMBER_RO geo berlin 1 km
PFCOUNT p|PFCOUNT p q none|XLEN x|XRANGE x - +|XREVRANGE x + -|XREAD COUNT 1 STREAMS x 0|XREAD STREAMS x none $ $|XREAD STREAMS x none 0 $
XINFO STREAM x|XINFO GROUPS x|XINFO CONSUMERS x group|XPENDING x group|SORT l|SORT l DESC|SORT_RO l|SORT none|SORT l BY nosort
RANDOMKEY|DBSIZE|SCAN 0|SCAN 0 MATCH s* COUNT 10|KEYS s*|WATCH s
HGET s f|LRANGE s 0 -1|SMEMBERS h|ZSCORE s a`;

const WRITES = `
SET s 1|SET s get|SET s x GET|SET none x NX GET|SET s get EX 100|SETNX s 1|SETEX s 9 1|APPEND s x|INCR n|GETSET s 1|GETSET none 1|GETDEL s
GETDEL none|GETEX s|GETEX none EX 10|MSET s 1 t 2|SETRANGE s 1 x|SETBIT s 1 1|BITFIELD s GET u8 0|BITFIELD none GET u8 0
BITFIELD s SET u8 0 1|BITFIELD s INCRBY u8 0 1|BITOP AND out s t|BITOP OR out s none|DEL s none|UNLINK s|EXPIRE s 10|PERSIST s|RENAME s r
RENAMENX s r|COPY s r|COPY none r|HSET h f 2|HDEL h f|HINCRBY h f 1|HSETNX h f 1|LPUSH l 1|RPOP l|LSET l 0 9|LREM l 0 1|LTRIM l 0 1
LMOVE l m LEFT RIGHT|RPOPLPUSH l m|LINSERT l BEFORE 1 0|LMPOP 2 none l LEFT|BLPOP none l 1|SADD set z|SREM set a|SPOP set|SMOVE set other a
SINTERSTORE out set other|SUNIONSTORE out set none|SDIFFSTORE out set other|ZADD z 3 c|ZINCRBY z 1 a|ZREM z a|ZPOPMIN z
ZUNIONSTORE out 2 z y|ZINTERSTORE out 2 z none|ZDIFFSTORE out 2 z y|ZRANGESTORE out z 0 -1|ZREMRANGEBYRANK z 0 0
GEOSEARCHSTORE out geo FROMMEMBER berlin BYRADIUS 1 km|GEORADIUS geo 13 52 100 km STORE out|PFADD p z|PFMERGE p q|PFMERGE none q
XADD x * a b|XDEL x 1-1|XTRIM x MAXLEN 5|XACK x group 1-1|XREADGROUP GROUP group me STREAMS x >|XCLAIM x group me 0 1-1
XAUTOCLAIM x group me 0 0|XGROUP CREATECONSUMER x group c|XSETID x 9-9|SORT l STORE out|RESTORE r 0 x|SWAPDB 3 4|PUBLISH c m`;

/** Not in Redis 6.2, and those of fields only since Redis 7.4 and Valkey 9. */
const NEWER = new Set(
  'LCS EXPIRETIME PEXPIRETIME SINTERCARD ZINTERCARD SORT_RO LMPOP HTTL HPTTL HEXPIRETIME HPEXPIRETIME'.split(
    ' ',
  ),
);

const calls = (table: string): string[][] =>
  table
    .trim()
    .split(/[|\n]/)
    .map((line) => line.split(' '));

describe('what a call counts', () => {
  for (const call of [...calls(READS), ...calls(WRITES)]) {
    it(call.join(' '), async ({ skip }) => {
      skip(isNewer(call), 'this server is older than the command');
      await expectCounted(call);
    });
  }
});

/** Whether the server has not got the command, or its option: SET with NX and GET came with key specifications. */
const isNewer = (call: string[]): boolean =>
  (!table.has('lcs') && call.includes('NX') && call.includes('GET')) ||
  (NEWER.has(call[0]!) && !table.has(call[0]!.toLowerCase()));

const expectCounted = async (call: string[]): Promise<void> => {
  const before = await counters();
  // Wrong types and the like are refused after the look-up.
  await redis
    .call(call[0]!, ...call.slice(1))
    .catch((error: Error) => expect(error.message).not.toMatch(/^ERR (unknown|wrong number|syntax)/));
  const args = argumentsOf(call);
  const spec = findCommand(table, args);
  expect(spec).not.toBeNull();
  expect(lookupsOf(spec!, args)).toMatchObject({ keys: { length: (await counters()) - before } });
};
