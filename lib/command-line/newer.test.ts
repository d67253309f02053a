import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReadContext } from '@/lib/command/context';
import { identify } from '@/lib/key-values/identity';
import { valueAccess } from '@/lib/key-values/value-access';
import { type ParsedCall, parseCall } from '@/lib/redis/parsed-call';
import { SHIPPED_TABLE } from '@/lib/redis/shipped-table';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { refuseUnbounded } from './bounds';
import { argumentsOf } from './line';
import { showReply } from './reply';
import type { Line } from './typed-line';
import { namedFields } from './words';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
afterAll(() => test.close());

/** As servers name commands of the kind of HMGET that are newer than the shipped table. */
const likeHmget = (name: string, ...flags: string[]) =>
  [name, { ...SHIPPED_TABLE.get('hmget')!, name, flags: new Set(flags) }] as const;
const TABLE = new Map([
  ...SHIPPED_TABLE,
  likeHmget('hgetex', 'write', 'fast'),
  likeHmget('hgetdel', 'write', 'fast'),
  likeHmget('vrandmember', 'readonly', 'module'),
  likeHmget('vgetattr', 'readonly', 'module'),
]);
const callOf = (line: string): ParsedCall => parseCall(TABLE, argumentsOf(line));

const lineOf = async (text: string): Promise<Line> => {
  const call = callOf(text) as Line['call'];
  const [identity] = await identify(test.ctx, [call.args[1]!]);
  const keys = [{ identity: identity!, access: valueAccess(test.ctx, identity!) }];
  return { call, kind: 'write', keys, shown: text };
};

it.each([
  ['HGETEX shop:a EX 10 FIELDS 2 name password', ['name', 'password']],
  ['HGETEX shop:a fields 3 password FIELDS 1', ['password', 'FIELDS', '1']],
  ['HGETEX shop:a', []],
  ['HGETDEL shop:a FIELDS 2 password FIELDS', ['password', 'FIELDS']],
  ['HMGET shop:a FIELDS 1 password', ['FIELDS', '1', 'password']],
])('%s names its fields', (line, fields) => {
  expect(namedFields(callOf(line)).map(String)).toEqual(fields);
});

it.each(['HGETEX shop:a PERSIST', 'HGETDEL shop:a'])(
  'what %s answers is masked by the names of the fields',
  async (begin) => {
    const line = await lineOf(`${begin} FIELDS 3 name password FIELDS`);
    const { type, reply } = await showReply(test.ctx, line, [
      Buffer.from('Ann'),
      Buffer.from('hunter2'),
      null,
    ]);
    expect(type).toBe('fields');
    expect(JSON.stringify(reply)).toContain('Ann');
    expect(JSON.stringify(reply)).not.toContain('hunter2');
  },
);

it('what vector sets answer is masked as members and JSON', async () => {
  const members = await showReply(test.ctx, await lineOf('VRANDMEMBER shop:a 2'), [
    Buffer.from('apple'),
    Buffer.from(`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'c2lnbmF0dXJl'.repeat(3)}`),
  ]);
  expect(members).toMatchObject({ type: 'list', reply: [{ text: 'apple' }, { masked: true }] });
  const json = Buffer.from('{"color":"red","password":"hunter2hunter2"}');
  const { reply } = await showReply(test.ctx, await lineOf('VGETATTR shop:a apple'), json);
  expect(JSON.stringify(reply)).toContain('red');
  expect(JSON.stringify(reply)).not.toContain('hunter2');
});

/** A reader that knows one vector set of 20 000 elements. */
const ofVectors = () => {
  const replies: Record<string, unknown> = { TYPE: 'vectorset', VCARD: 20_000, 'MEMORY USAGE': 10_000 };
  const read = async ([name]: readonly unknown[]) => replies[String(name)];
  const readMany = (calls: readonly (readonly unknown[])[]) => Promise.all(calls.map(read));
  return { ...test.ctx, reader: { ...test.ctx.reader, read, readMany } } as unknown as ReadContext;
};

it('a random sample of a vector set is bounded, also one that repeats elements', async () => {
  const refused = (line: string) =>
    lineOf(line).then((each) => refuseUnbounded(ofVectors(), { ...each, kind: 'read' }));
  await refused('VRANDMEMBER shop:a 10');
  for (const count of ['15000', '-1000000000'])
    expect(await problemOf(refused(`VRANDMEMBER shop:a ${count}`))).toMatchObject({
      code: 'command_refused',
    });
});
