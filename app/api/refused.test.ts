import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { catalogOf } from '@/lib/command/context';
import { registerDomains } from '@/lib/domains/all';
import { closeQueue } from '@/lib/jobs/queue';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { ask, configureInterface, operations, ROOT } from '@/scripts/testing/interface';
import { minimalInput } from '@/scripts/testing/minimal-input';

let test: TestContext;
beforeAll(async () => {
  configureInterface();
  test = await testContext();
  registerDomains();
});
beforeEach(() => test.empty());
afterEach(async () => {
  await test.redis.config('SET', 'maxmemory', '0');
  await test.redis.config('SET', 'min-replicas-to-write', '0');
  await test.redis.call('REPLICAOF', 'NO', 'ONE');
  await test.redis.call('ACL', 'SETUSER', 'default', '+@all');
});
afterAll(async () => {
  await closeQueue();
  await test.close();
});

type Input = Record<string, unknown>;
type Call = readonly [id: string, input: Input];

const idOf = (key: string): string => Buffer.from(key).toString('base64url');
const x = { text: 'x' };
const EDITS: readonly Input[] = [
  { op: 'setString', value: x },
  { op: 'setBit', offset: 1, bit: 1 },
  { op: 'addField', field: x, value: x },
  { op: 'setField', element: 'x', field: x, value: x },
  { op: 'renameField', element: 'x', field: x, to: { text: 'y' } },
  { op: 'removeField', element: 'x', field: x },
  { op: 'setFieldTtl', element: 'x', field: x, ttlSeconds: 60 },
  { op: 'setAt', element: 'x', index: 0, value: x },
  { op: 'removeAt', element: 'x', index: 0 },
  { op: 'push', end: 'head', value: x },
  { op: 'addMember', member: x },
  { op: 'addMember', member: x, score: '1' },
  { op: 'renameMember', element: 'x', member: x, to: { text: 'y' } },
  { op: 'removeMember', element: 'x', member: x },
  { op: 'setScore', element: 'x', member: x, score: '2' },
  { op: 'addEntry', fields: [{ field: x, value: x }] },
  { op: 'removeEntry', element: 'x', entryId: '1-1' },
];
const LINES = [
  'SET',
  'APPEND',
  'INCRBY',
  'LPUSH',
  'SADD',
  'HSETNX',
  'ZADD',
  'XADD',
  'SETBIT',
  'EXPIRE',
  'UNLINK',
];

interface Found {
  etag?: string;
  elements?: { id: string }[];
}

const withoutDryRun = ({ dryRun: _, ...input }: Input): Input => input;

/** Every operation that changes the application's Redis, on keys that exist. */
const changesOn = async (keys: readonly string[]): Promise<Call[]> => {
  const named = keys.map(async (key): Promise<Call[]> => {
    const keyId = idOf(key);
    const details = (await (await ask('keys.get', { keyId }, ROOT)).json()) as Found;
    const { etag = 'x', elements: [{ id: element } = { id: 'x' }] = [] } = details;
    const name = { text: `${key}:2` };
    return [
      ...EDITS.map(
        (edit): Call => [
          'keys.update',
          { keyId, etag, edit: { ...edit, ...('element' in edit && { element }) } },
        ],
      ),
      ['keys.setTtl', { keyId, etag, ttlSeconds: 60 }],
      ['keys.duplicate', { keyId, etag, name }],
      ...LINES.map((word): Call => ['commandLine.run', { line: `${word} ${key} 1 1 1`, withoutUndo: true }]),
      ['keys.rename', { keyId, etag, name }],
      ['keys.delete', { keyId, etag }],
    ];
  });
  const others = operations.flatMap(({ contract }): Call[] => {
    const { id, method, path, stream } = contract;
    return method !== 'GET' && !stream && path.includes('{connection}')
      ? [[id, withoutDryRun(minimalInput(contract))]]
      : [];
  });
  return [...others, ...(await Promise.all(named)).flat()];
};

interface Answer {
  code?: string;
  detail?: string;
}

/** Calls that broke, or were refused without a reason; how many had each code. */
const refusalsOf = async (calls: readonly Call[]) => {
  const unnamed: unknown[] = [];
  const codes = new Map<string, number>();
  for (const [id, input] of calls) {
    const response = await ask(id, input, ROOT);
    const text = await response.text();
    if (response.ok) continue;
    const { code = '', detail = '' } = JSON.parse(text) as Answer;
    codes.set(code, (codes.get(code) ?? 0) + 1);
    const isBroken = response.status >= 500 && response.status !== 503;
    if (isBroken || /cannot be used at the moment|does not know the reason/.test(detail))
      unnamed.push([id, input, response.status, detail]);
  }
  return { unnamed, codes };
};

/** Writes a key of each family with a type other than its own. Returns those to change: one family of each type. */
const writeWrong = async (): Promise<string[]> => {
  const { families } = catalogOf(test.handle);
  const examples = families
    .filter(({ app }) => app !== 'console')
    .flatMap(({ examples = [], type }) => {
      return examples.slice(0, 1).map((key) => ({ key, type }));
    });
  const firstOfItsType = examples.filter(
    ({ type }, i) => examples.findIndex((example) => example.type === type) === i,
  );
  for (const { key, type } of examples) {
    if (type === 'stream') await test.redis.hset(key, 'x', '1');
    else await test.redis.xadd(key, '1-1', 'x', '1');
  }
  return ['author:id:1', ...firstOfItsType.map(({ key }) => key)];
};

const writeSome = async (): Promise<string[]> => {
  const { redis } = test;
  await redis.set('app:s', '1');
  await redis.hset('app:h', 'x', '1');
  await redis.rpush('app:l', 'x');
  await redis.zadd('app:z', 1, 'x');
  await redis.xadd('app:x', '1-1', 'x', '1');
  await redis.sadd('BlacklistIPsSet', '192.0.2.1');
  return ['app:s', 'app:h', 'app:l', 'app:z', 'app:x'];
};

it('a change of a key of another type than its family has is refused by name', { tags: 'long' }, async () => {
  const calls = await changesOn(await writeWrong());
  const { unnamed } = await refusalsOf(calls);
  expect(unnamed).toEqual([]);
});

// This test comes first, because the console remembers a missing permission for a while.
it('a change of a server that runs a script is refused by name', async () => {
  const calls = (await changesOn(await writeSome())).filter(([id]) => id === 'keys.update').slice(0, 3);
  const [, before] = (await test.redis.config('GET', 'lua-time-limit')) as [string, string];
  await test.redis.config('SET', 'lua-time-limit', '1');
  const other = test.redis.duplicate();
  const running = other.eval('while true do end', 0).catch(() => undefined);
  try {
    const { unnamed, codes } = await refusalsOf(calls);
    expect(unnamed).toEqual([]);
    expect(codes.get('busy')).toBe(calls.length);
  } finally {
    await test.redis.call('SCRIPT', 'KILL');
    await running;
    other.disconnect();
    await test.redis.config('SET', 'lua-time-limit', before);
  }
});

it.each<[string, string, () => Promise<unknown>]>([
  ['full', 'full', () => test.redis.config('SET', 'maxmemory', '1')],
  ['a read-only replica', 'read_only', () => test.redis.call('REPLICAOF', '127.0.0.1', '1')],
  ['without enough replicas', 'replica', () => test.redis.config('SET', 'min-replicas-to-write', '1')],
  [
    'closed to its user',
    'not_permitted',
    () =>
      test.redis.call(
        'ACL',
        'SETUSER',
        'default',
        ...'-set -hset -sadd -zadd -unlink -del -rename -copy'.split(' '),
      ),
  ],
])('a change of a server that is %s is refused by name', { tags: 'long' }, async (_, code, enter) => {
  const calls = await changesOn(await writeSome());
  await enter();
  const { unnamed, codes } = await refusalsOf(calls);
  expect(unnamed).toEqual([]);
  expect(codes.get(code) ?? 0).toBeGreaterThan(10);
});
