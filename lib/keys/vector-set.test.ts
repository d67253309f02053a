import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { keyIdOf } from '@/lib/command/key-ids';
import { parseInput } from '@/lib/command/validate';
import { Problem } from '@/lib/errors';
import { identify } from '@/lib/key-values/identity';
import { type ValueAccess, valueAccess } from '@/lib/key-values/value-access';
import type { Reader } from '@/lib/redis/reader';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { getKey } from './get';
import { keyContracts } from './schema';
import { readVectorSet } from './vector-set';

const KEY = Buffer.from('words');
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'c2lnbmF0dXJl'.repeat(3)}`;

let test: TestContext;
/** Redis ≥ 8. */
let hasVectors: boolean;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  const [known] = (await test.redis.call('COMMAND', 'INFO', 'VADD')) as unknown[];
  hasVectors = known !== null;
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const bytes = (...texts: (string | number)[]) =>
  texts.map((text) => (typeof text === 'number' ? text : Buffer.from(text)));

describe('where the server answers as Redis 8', () => {
  const REPLIES: Record<string, unknown> = {
    VCARD: 3,
    VINFO: bytes('quant-type', 'int8', 'vector-dim', 2, 'size', 3, 'max-level', 0),
    VEMB: bytes('0.5', '-1.25'),
  };

  const readFrom = async (
    replies: Record<string, unknown>,
    name?: string,
    access: Partial<ValueAccess> = {},
  ) => {
    const read = vi.fn(async ([command]: readonly unknown[]) => {
      const reply = replies[String(command)];
      if (reply instanceof Error) throw reply;
      return reply ?? null;
    });
    const ctx = { ...test.ctx, reader: { ...test.ctx.reader, read } as unknown as Reader };
    const [identity] = await identify(test.ctx, [KEY]);
    const found = await readVectorSet(ctx, identity!, { ...valueAccess(ctx, identity!), ...access }, name);
    return { found, sent: read.mock.calls.map(([command]) => command) };
  };

  it('has its length, what VINFO says, and the vector of one element', async () => {
    const { found } = await readFrom(REPLIES, 'apple');
    expect(found).toMatchObject({
      length: 3,
      vectorSet: { element: { vector: [0.5, -1.25], dimensions: 2 } },
    });
    expect(found!.vectorSet.facts.slice(0, 2)).toEqual([
      { name: 'quant-type', value: 'int8' },
      { name: 'vector-dim', value: '2' },
    ]);
  });

  it('looks for the bytes of a name as it is shown', async () => {
    const { sent } = await readFrom(REPLIES, '\\xffa\\xe2\\x80\\x8b');
    expect(sent.at(-1)).toEqual(['VEMB', KEY, Buffer.from([0xff, 0x61, 0xe2, 0x80, 0x8b])]);
  });

  it('asks for no element without a name, and for none whose existence is a secret', async () => {
    for (const [secretMembers, name] of [
      [false, undefined],
      [true, 'apple'],
    ] as const) {
      const { found, sent } = await readFrom(REPLIES, name, { secretMembers });
      expect(found!.vectorSet.element).toBeNull();
      expect(sent.map(([command]) => command)).toEqual(['VCARD', 'VINFO']);
    }
  });

  it('is unknown where our user may not ask, and has no element of another name', async () => {
    expect((await readFrom({ VCARD: new Problem('not_permitted', 'no') })).found).toBeNull();
    expect((await readFrom({ ...REPLIES, VEMB: null }, 'x')).found!.vectorSet.element).toBeNull();
  });

  it('is shown without what our user may not read of it', async ({ skip }) => {
    skip(hasVectors, 'this server has the commands that the others lack');
    expect((await readFrom(REPLIES)).found).toMatchObject({ length: 3, elements: [] });
    expect((await readFrom(REPLIES, 'apple')).found!.vectorSet.element).toMatchObject({ attributes: null });
  });
});

describe('on a server that has vector sets', () => {
  beforeEach(({ skip }) => skip(!hasVectors, 'this server has no vector sets'));

  const add = (name: string | Buffer, ...more: string[]) =>
    test.redis.call('VADD', KEY, 'VALUES', '2', '0.5', '-1', name, 'NOQUANT', ...more);
  const open = async (match?: string) => {
    const input = parseInput(keyContracts.get, { keyId: keyIdOf(test.ctx, KEY), ...(match && { match }) });
    return keyContracts.get.result.parse(await getKey(test.ctx, input));
  };

  it('shows some elements, masked as members are, and cut where they are long', async () => {
    for (const name of ['apple', Buffer.from([0xff]), JWT, 'x'.repeat(100_000)]) await add(name);
    const { length, elements } = await open();
    expect(length).toBe(4);
    const byBytes = (size: number) => elements.find(({ member }) => member!.bytes === size)?.member;
    expect(byBytes(5)).toMatchObject({ text: 'apple', masked: false });
    expect(byBytes(1)).toMatchObject({ base64: '/w==' });
    expect(byBytes(JWT.length)).toMatchObject({ masked: true });
    expect(byBytes(100_000)).toMatchObject({ truncated: true });
  });

  it('shows a part of many', async () => {
    for (let i = 0; i < 200; i++) await add(`element:${i}`);
    const { length, elements } = await open();
    expect([length, elements.length]).toEqual([200, 50]);
  });

  it('shows what is attached to an element, without its secrets', async () => {
    await add('apple', 'SETATTR', '{"color":"red","password":"hunter2hunter2"}');
    await add('pear');
    const { element } = (await open('apple')).vectorSet!;
    expect(element).toMatchObject({ vector: [0.5, -1], attributes: { masked: true } });
    expect(element!.attributes!.text).toContain('"color":"red"');
    expect(element!.attributes!.text).not.toContain('hunter2');
    expect((await open('pear')).vectorSet!.element).toMatchObject({ attributes: null });
    expect((await open('none')).vectorSet!.element).toBeNull();
  });

  it('counts what it reads as its own', async () => {
    await add('apple', 'SETATTR', '{}');
    const others = async () => {
      const info = await test.redis.info('stats');
      const of = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
      const { hits, misses } = test.handle.own.snapshot();
      return [of('keyspace_hits') - hits, of('keyspace_misses') - misses];
    };
    const before = await others();
    for (const name of [undefined, 'apple', 'none']) await open(name);
    expect(await others()).toEqual(before);
  });
});
