import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandSpec } from '@/lib/redis/command-table';
import { parseCall } from '@/lib/redis/parsed-call';
import { SHIPPED_FACTS, SHIPPED_TABLE } from '@/lib/redis/shipped-table';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { IS_REDIS_6, IS_REDIS_7_0 } from '@/scripts/testing/this-redis';
import { documentation, knownCommands, withSubcommands } from './documentation';
import { judge, NAMES_NO_KEY } from './policy';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
afterAll(() => test.close());

const allOf = (table: ReadonlyMap<string, CommandSpec>): CommandSpec[] =>
  [...table.values()].flatMap((spec) => [spec, ...(spec.subcommands?.values() ?? [])]);

const NEVER = ['admin', 'dangerous', 'blocking', 'pubsub', 'scripting', 'transaction', 'noscript', 'module'];

const VECTORS = 'vcard vdim vinfo vemb vismember vrandmember vgetattr vsetattr vrem'.split(' ');

const namesOf = (specs: readonly CommandSpec[], kind: string): string[] =>
  specs.filter((spec) => judge(spec).kind === kind).map(({ name }) => name);

describe('every command of the server', () => {
  it('is a read, a write, or refused with a page and a reason', async () => {
    const all = allOf(await knownCommands(test.handle));
    expect(all.length).toBeGreaterThan(300);
    for (const spec of all) {
      const verdict = judge(spec);
      if (verdict.kind === 'refused') {
        expect([spec.name, verdict.refusal.page]).toEqual([spec.name, expect.stringMatching(/^[a-z-]+$/)]);
        expect([spec.name, verdict.refusal.reason]).toEqual([spec.name, expect.stringMatching(/\.$/)]);
        continue;
      }
      const bad = NEVER.filter((each) => spec.categories.has(each) || spec.flags.has(each));
      // Redis 8 has vector sets from a module of its own.
      const isOfVectors = spec.flags.has('module') && VECTORS.includes(spec.name);
      expect([spec.name, bad]).toEqual([spec.name, isOfVectors ? ['module'] : []]);
      expect([spec.name, spec.keys.length > 0 || NAMES_NO_KEY.has(spec.name)]).toEqual([spec.name, true]);
      expect([spec.name, spec.flags.has('write')]).toEqual([spec.name, verdict.kind === 'write']);
    }
  });

  it.skipIf(IS_REDIS_6)('that is dangerous is refused, and what people need is not', async () => {
    const all = allOf(await knownCommands(test.handle));
    const refused =
      'keys flushall flushdb swapdb config|set config|get config|rewrite config|resetstat script|load function|load eval ' +
      'evalsha eval_ro fcall fcall_ro debug shutdown monitor subscribe psubscribe ssubscribe blpop brpop bzpopmin blmove xread ' +
      'xreadgroup select auth hello reset quit client|kill client|pause client|setname client|tracking multi exec watch ' +
      'replicaof failover cluster|reset acl|setuser module|load migrate restore sort sort_ro save bgsave bgrewriteaof ' +
      'latency|reset slowlog|reset move wait pfdebug dump publish info hvals georadius xinfo|stream command|docs object';
    const reads =
      'get mget getrange strlen exists type ttl scan hget hgetall hscan smembers sscan zrange zscore lrange llen xrange ' +
      'object|encoding object|help memory|usage randomkey dbsize ping time sintercard lcs';
    const writes =
      'set del unlink expire persist hset sadd zadd rpush xadd incr rename copy getdel setrange geosearchstore';
    expect(refused.split(' ').filter((name) => !namesOf(all, 'refused').includes(name))).toEqual([]);
    expect(reads.split(' ').filter((name) => !namesOf(all, 'read').includes(name))).toEqual([]);
    expect(writes.split(' ').filter((name) => !namesOf(all, 'write').includes(name))).toEqual([]);
  });

  it.skipIf(IS_REDIS_6)('is judged the same by the table that comes with the console', async () => {
    const server = await knownCommands(test.handle);
    const shipped = allOf(SHIPPED_TABLE);
    for (const own of shipped) {
      const [name, sub] = own.name.split('|') as [string, string?];
      const theirs = sub ? server.get(name)?.subcommands?.get(sub) : server.get(name);
      if (!theirs) continue;
      expect([own.name, judge(own).kind]).toEqual([own.name, judge(theirs).kind]);
      if (!IS_REDIS_7_0) continue;
      expect([own.name, own.arity]).toEqual([own.name, theirs.arity]);
      expect([own.name, own.keys.map(({ begin, find }) => ({ begin, find }))]).toEqual([
        own.name,
        theirs.keys.map(({ begin, find }) => ({ begin, find })),
      ]);
    }
  });

  it('of a module, or of an unknown kind, is refused', () => {
    const base = {
      name: 'json.get',
      arity: -2,
      keys: [],
      opaque: false,
      subcommands: null,
      flags: new Set(['readonly', 'module']),
      categories: new Set(['read', 'string']),
    };
    expect(judge(base)).toMatchObject({
      kind: 'refused',
      refusal: { reason: expect.stringMatching('module') },
    });
    const nothing = { ...base, flags: new Set<string>(), categories: new Set<string>() };
    expect(judge(nothing)).toMatchObject({ kind: 'refused', refusal: { page: 'keys' } });
  });
});

describe('a command that this console does not know', () => {
  const likeGet = {
    arity: -2,
    keys: [],
    opaque: false,
    subcommands: null,
    flags: new Set(['readonly']),
    categories: new Set(['read', 'hash']),
  };

  it('is refused, whatever its categories are', () => {
    for (const name of ['hnewer', 'vsim', 'vadd', 'vlinks', 'object|secret'])
      expect([name, judge({ ...likeGet, name }).kind]).toEqual([name, 'refused']);
    expect(judge({ ...likeGet, name: 'hget' }).kind).toBe('read');
  });

  it('is one that was added since, with the rules that its answer needs', () => {
    const at = { begin: { index: 1 }, find: { lastKey: 0, step: 1, limit: 0 }, flags: new Set<string>() };
    const kindOf = (name: string, keys = [at]) =>
      judge({ ...likeGet, name, keys, flags: new Set(['module', 'fast']) }).kind;
    for (const name of 'httl hpttl hexpiretime hpexpiretime vcard vdim vinfo vemb vismember vrandmember vgetattr'.split(
      ' ',
    ))
      expect([name, kindOf(name)]).toEqual([name, 'read']);
    for (const name of 'hgetex hgetdel hsetex hexpire hpexpire hexpireat hpexpireat hpersist vrem vsetattr'.split(
      ' ',
    ))
      expect([name, kindOf(name)]).toEqual([name, 'write']);
    // A server that does not say where its key is.
    expect(kindOf('hgetex', [])).toBe('refused');
  });

  it('is no subcommand of a Redis that lists none, as 6.2 does', async () => {
    const flat = new Map(
      [...(await knownCommands(test.handle))].map(([name, spec]) => [
        name,
        // 6.2 gives the container what its subcommands have.
        spec.subcommands
          ? {
              ...spec,
              subcommands: null,
              flags: new Set(['readonly']),
              categories: new Set(['read', 'stream']),
            }
          : spec,
      ]),
    );
    const table = withSubcommands(flat);
    const verdict = (line: string) =>
      judge(
        parseCall(
          table,
          line.split(' ').map((word) => Buffer.from(word)),
        ).spec!,
      ).kind;
    expect(verdict('XINFO STREAM shop:x FULL')).toBe('refused');
    expect(verdict('XINFO GROUPS shop:x')).toBe('read');
    expect(verdict('XGROUP DESTROY shop:x g')).toBe('write');
    expect(verdict('OBJECT ENCODING shop:x')).toBe('read');
    for (const line of ['XINFO shop:x', 'OBJECT NEW shop:x', 'MEMORY DOCTOR', 'CONFIG GET *', 'COMMAND DOCS'])
      expect([line, verdict(line)]).toEqual([line, 'refused']);
  });
});

it.skipIf(IS_REDIS_6)('has the syntax of the server, as the shipped facts have it', async () => {
  const docs = await documentation(test.handle);
  expect(docs.get('get')).toMatchObject({ syntax: 'key', since: '1.0.0', group: 'string' });
  expect(docs.get('get')?.summary).toBeTruthy();
  for (const name of ['set', 'zrange', 'hset', 'copy', 'object|encoding', 'scan'])
    expect([name, docs.get(name)?.syntax]).toEqual([
      name,
      IS_REDIS_7_0 ? SHIPPED_FACTS.get(name)?.syntax : expect.stringContaining(''),
    ]);
});
