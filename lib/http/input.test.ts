import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { parseInput } from '@/lib/command/validate';
import { type Contract, contract, queryBoolean, queryInteger } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { turnsDuring } from '@/scripts/testing/turns';
import { rawInput } from './input';

const declared = { permission: 'view', summary: 'Test.', result: z.object({}) } as const;
const input = z.strictObject({
  id: z.string().max(10),
  name: z.string().optional(),
  limit: queryInteger(1, 100).optional(),
  exact: queryBoolean.optional(),
  tags: z.array(z.string()).optional(),
});
const post = contract({ ...declared, id: 'test.post', method: 'POST', path: '/api/v1/things/{id}', input });
const get = contract({ ...declared, id: 'test.get', method: 'GET', path: '/api/v1/things/{id}', input });
const large = contract({ ...post, id: 'test.large', maxBodyBytes: 4 * 1024 * 1024 });

const URL_OF_IT = 'http://127.0.0.1/api/v1/things/7';
const JSON_TYPE = { 'content-type': 'application/json' };

/** A body that comes in pieces, as one without Content-Length does. */
const inPieces = (bytes: number): ReadableStream<Uint8Array> => {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, 64 * 1024);
      left -= size;
      if (size > 0) controller.enqueue(new Uint8Array(size).fill(0x20));
      if (left === 0) controller.close();
    },
  });
};

const send = async (
  body: BodyInit | null,
  {
    headers = JSON_TYPE,
    to = post as Contract,
    query = '',
  }: { headers?: HeadersInit; to?: Contract; query?: string } = {},
) => {
  const init: RequestInit & { duplex?: 'half' } = { method: to.method, headers };
  if (body !== null) init.body = body;
  if (body instanceof ReadableStream) init.duplex = 'half';
  const request = new Request(URL_OF_IT + query, init);
  return parseInput(to, await rawInput(to, request, { id: '7', connection: 'main' }));
};

const refusal = async (work: Promise<unknown>) => {
  const problem = await work.then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => error as Problem,
  );
  expect(problem).toBeInstanceOf(Problem);
  const errors = (problem.extensions.errors ?? []) as { path: string; message: string }[];
  return { status: problem.status, code: problem.code, paths: errors.map((error) => error.path) };
};

const bad = (...paths: string[]) => ({ status: 400, code: 'bad_input', paths });

describe('a body', () => {
  it('is merged with the path parameters', async () => {
    expect(await send('{"name":"é","tags":["a"]}')).toEqual({ id: '7', name: 'é', tags: ['a'] });
    expect(await send('{}', { headers: { 'content-type': 'Application/JSON; charset=utf-8' } })).toEqual({
      id: '7',
    });
    expect(await send(null, { headers: {} })).toEqual({ id: '7' });
    expect(await send('  ')).toEqual({ id: '7' });
  });

  it('of more than 64 KiB is too large, whatever its header says', { tags: ['long'] }, async () => {
    const tooLarge = { status: 413, code: 'too_large', paths: [] };
    const twoMegabytes = 2 * 1024 * 1024;
    expect(await refusal(send(`"${'x'.repeat(twoMegabytes)}"`))).toEqual(tooLarge);
    expect(await refusal(send(inPieces(twoMegabytes)))).toEqual(tooLarge);
    const lying = { ...JSON_TYPE, 'content-length': '2' };
    expect(await refusal(send(inPieces(twoMegabytes), { headers: lying }))).toEqual(tooLarge);
    const huge = { ...JSON_TYPE, 'content-length': '9999999999' };
    expect(await refusal(send('{}', { headers: huge }))).toEqual(tooLarge);
    expect(await refusal(send(inPieces(100 * 1024 * 1024)))).toEqual(tooLarge);
    expect(await send(inPieces(64 * 1024))).toEqual({ id: '7' });
    expect(await refusal(send(inPieces(64 * 1024 + 1)))).toEqual(tooLarge);
    await expect(send(inPieces(twoMegabytes))).rejects.toThrow('The body is larger than 64 KiB.');
  });

  it('may be larger where the contract says so', async () => {
    expect(await send(inPieces(2 * 1024 * 1024), { to: large })).toEqual({ id: '7' });
    expect(await refusal(send(inPieces(5 * 1024 * 1024), { to: large }))).toMatchObject({ status: 413 });
    await expect(send(inPieces(5 * 1024 * 1024), { to: large })).rejects.toThrow('larger than 4 MiB.');
  });

  it('with too many values is refused before validation, with few errors', async () => {
    const validated = vi.spyOn(input, 'safeParse');
    for (const body of [
      `{"tags":[${'{},'.repeat(349_000)}{}]}`,
      `{"tags":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
      `{"tags":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
      `{${Array.from({ length: 60_000 }, (_, i) => `"f${i}":1`).join(',')}}`,
    ])
      expect(await refusal(send(body, { to: large }))).toEqual(bad(''));
    expect(validated).not.toHaveBeenCalled();
    validated.mockRestore();
    const wrong = JSON.stringify({ tags: Array.from({ length: 10_000 }, () => ({})) });
    expect((await refusal(send(wrong, { to: large }))).paths).toHaveLength(50);
  });

  it('of many megabytes does not block the event loop, even when sent in one piece', async () => {
    const name = 'é'.repeat(1024 * 1024);
    const body = new TextEncoder().encode(JSON.stringify({ name }));
    const parse = async () => expect(await send(body, { to: large })).toEqual({ id: '7', name });
    expect(await turnsDuring(parse)).toBeGreaterThan(body.byteLength / (128 * 1024));
  });

  it('that is not a JSON object in UTF-8 is refused', async () => {
    for (const body of [
      '{',
      '{"a":}',
      "{'name':'x'}",
      'name=x',
      '[]',
      '[{}]',
      'null',
      '"x"',
      '7',
      'true',
      '{} {}',
    ])
      expect([body, await refusal(send(body))]).toEqual([body, bad('')]);
    expect(await refusal(send('['.repeat(500_000), { to: large }))).toEqual(bad(''));
    for (const body of ['{"a":"\u0001"}', '{"a":01}', '{"a":1,}', '{"a" 1}', 'tru', '-', '{"a":"\\x"}'])
      expect([body, await refusal(send(body))]).toEqual([body, bad('')]);
    expect(await refusal(send(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])))).toMatchObject({
      status: 400,
    });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])
      expect(await refusal(send('{}', { headers: { 'content-type': type } }))).toEqual(bad(''));
  });

  it('with fields of the wrong type or unknown ones is refused by their names', async () => {
    expect(await refusal(send('{"name":1,"limit":"many","nope":1,"tags":["a",2]}'))).toEqual(
      bad('name', 'limit', 'tags[1]', 'nope'),
    );
    expect(await refusal(send('{"limit":0}'))).toEqual(bad('limit'));
    expect(await refusal(send('{"exact":"perhaps"}'))).toEqual(bad('exact'));
    expect(await refusal(send('{"__proto__":{"name":"x"}}'))).toEqual(bad('__proto__'));
    expect(await refusal(send('{"constructor":1,"toString":2}'))).toEqual(bad('constructor', 'toString'));
    expect(await refusal(send('{"tags":[{"__proto__":1}]}'))).toEqual(bad('tags[0].__proto__'));
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, i])));
    expect((await refusal(send(many))).paths).toHaveLength(50);
  });

  it('may not repeat path parameters, nor be sent in the query', async () => {
    expect(await refusal(send('{"id":"8"}'))).toEqual(bad('id'));
    expect(await refusal(send('{}', { query: '?name=x&limit=1' }))).toEqual(bad('name', 'limit'));
  });
});

describe('a query', () => {
  const ask = (query: string) => send(null, { to: get, query, headers: {} });

  it('is converted to the types of the contract', async () => {
    expect(await ask('?name=a%20b&limit=5&exact=true')).toEqual({
      id: '7',
      name: 'a b',
      limit: 5,
      exact: true,
    });
    expect(await ask('')).toEqual({ id: '7' });
  });

  it('with a repeated, unknown or wrong field is refused by its name', async () => {
    expect(await refusal(ask('?name=a&name=b'))).toEqual(bad('name'));
    expect(await refusal(ask('?nope=1'))).toEqual(bad('nope'));
    expect(await refusal(ask('?__proto__=1'))).toEqual(bad('__proto__'));
    expect(await refusal(ask('?__proto__=1&__proto__=2'))).toEqual(bad('__proto__'));
    for (const limit of ['', 'x', '1.5', '101', '-1', 'Infinity', 'NaN'])
      expect([limit, await refusal(ask(`?limit=${limit}`))]).toEqual([limit, bad('limit')]);
    expect(await refusal(ask('?id=8'))).toEqual(bad('id'));
  });
});
