import { afterAll, beforeAll, expect, it } from 'vitest';
import { identify } from '@/lib/key-values/identity';
import { valueAccess } from '@/lib/key-values/value-access';
import { type ParsedCall, parseCall } from '@/lib/redis/parsed-call';
import { SHIPPED_TABLE } from '@/lib/redis/shipped-table';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { argumentsOf } from './line';
import { showReply } from './reply';
import type { Line } from './typed-line';
import { namedFields } from './words';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
afterAll(() => test.close());

/** As a server names HGETEX that has it. */
const TABLE = new Map([
  ...SHIPPED_TABLE,
  ['hgetex', { ...SHIPPED_TABLE.get('hmget')!, name: 'hgetex', flags: new Set(['write', 'fast']) }] as const,
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
  ['HMGET shop:a FIELDS 1 password', ['FIELDS', '1', 'password']],
])('%s names its fields', (line, fields) => {
  expect(namedFields(callOf(line)).map(String)).toEqual(fields);
});

it('what HGETEX answers is masked by the names of the fields', async () => {
  const line = await lineOf('HGETEX shop:a PERSIST FIELDS 3 name password FIELDS');
  const { type, reply } = await showReply(test.ctx, line, [Buffer.from('Ann'), Buffer.from('hunter2'), null]);
  expect(type).toBe('fields');
  expect(JSON.stringify(reply)).toContain('Ann');
  expect(JSON.stringify(reply)).not.toContain('hunter2');
});
