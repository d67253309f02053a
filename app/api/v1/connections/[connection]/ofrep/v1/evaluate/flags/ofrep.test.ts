import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { type Client, ErrorCode, OpenFeature } from '@openfeature/server-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiToken, revokeApiToken } from '@/lib/access/api-tokens';
import type { RouteHandler } from '@/lib/http/routes';
import type { Role } from '@/lib/permissions';
import { closeConnections, connections } from '@/lib/redis/connections';
import { store } from '@/lib/redis/store';
import { forgetNames } from '@/lib/values/named-keys';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { POST as one } from './[key]/route';
import { POST as all } from './route';

let test: TestContext;
let server: Server;
let origin: string;

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const PATH = /^\/api\/v1\/connections\/([^/]+)\/ofrep\/v1\/evaluate\/flags(?:\/([^/]+))?$/;

/** As Next would call the two routes. */
const answer = async (incoming: IncomingMessage): Promise<Response> => {
  const [, connection, key] = PATH.exec(incoming.url ?? '') ?? [];
  if (!connection || incoming.method !== 'POST') return new Response(null, { status: 404 });
  const request = new Request(origin + incoming.url, {
    method: 'POST',
    headers: incoming.headers as Record<string, string>,
    body: new Uint8Array(await bodyOf(incoming)),
  });
  const handler: RouteHandler = key ? one : all;
  const params = { connection, ...(key ? { key: decodeURIComponent(key) } : {}) };
  return handler(request, { params: Promise.resolve(params) });
};

beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  server = createServer(async (incoming, outgoing) => {
    const response = await answer(incoming);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
let token: string;
beforeEach(async () => {
  closeConnections();
  await test.empty();
  connections().set('main', test.handle);
  forgetNames(test.handle);
  token = (await tokenOf('evaluator')).token;
});
afterAll(async () => {
  await OpenFeature.close();
  server.close();
  server.closeAllConnections();
  await test.close();
});

const tokenOf = (role: Role, expiresAt: number | null = null) =>
  createApiToken(store(), { name: role, role, createdBy: 'x', expiresAt }, Date.now());

const base = (): string => `${origin}/api/v1/connections/main`;

const put = (values: Record<string, string>): Promise<unknown> =>
  test.redis.mset(
    Object.fromEntries(Object.entries(values).map(([name, text]) => [`env_vars:${name}`, text])),
  );

const FLAGS = {
  FEATURE_ON: 'YES',
  FEATURE_OFF: '0',
  FEATURE_ROLLOUT: '25%',
  FEATURE_DB: 'postgres://app:hunter2@db/main',
  FEATURE_STORE_TOKEN: 'hunter2',
  FEATURE_LONG: 'x'.repeat(2_000_000),
  JWT_SECRET: 'hunter2',
  DEBUG: 'true',
};

const ask = (
  path: string,
  {
    body = '{"context":{}}',
    headers = {},
    bearer = token,
  }: Partial<{
    body: string | Buffer;
    headers: Record<string, string>;
    bearer: string;
  }> = {},
): Promise<Response> =>
  fetch(`${base()}/ofrep/v1/evaluate/flags${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...headers,
    },
    body: body as BodyInit,
  });

describe("an application with OpenFeature's SDK", () => {
  const clientWith = async (bearer: string): Promise<Client> => {
    const headers: [string, string][] = [['Authorization', `Bearer ${bearer}`]];
    await OpenFeature.setProviderAndWait(bearer, new OFREPProvider({ baseUrl: base(), headers }));
    return OpenFeature.getClient(bearer);
  };

  it('reads booleans and words, and gets its own default for what is unknown or no flag', async () => {
    await put(FLAGS);
    const client = await clientWith(token);
    const user = { targetingKey: 'u1', plan: 'free', nested: { a: [1, null] } };
    expect(await client.getBooleanValue('FEATURE_ON', false, user)).toBe(true);
    expect(await client.getBooleanValue('FEATURE_OFF', true)).toBe(false);
    expect(await client.getStringValue('FEATURE_ROLLOUT', '0%')).toBe('25%');
    expect(await client.getBooleanDetails('FEATURE_ON', false)).toMatchObject({
      flagKey: 'FEATURE_ON',
      value: true,
      reason: 'STATIC',
      variant: 'on',
      flagMetadata: { connection: 'main' },
    });
    for (const name of ['FEATURE_NONE', 'JWT_SECRET', 'DEBUG', 'env_vars:FEATURE_ON', 'feature_on'])
      expect(await client.getBooleanDetails(name, true)).toMatchObject({
        value: true,
        reason: 'ERROR',
        errorCode: ErrorCode.FLAG_NOT_FOUND,
      });
    expect(await client.getBooleanDetails('FEATURE_ROLLOUT', true)).toMatchObject({
      value: true,
      errorCode: ErrorCode.TYPE_MISMATCH,
    });
    expect(await client.getStringDetails('FEATURE_STORE_TOKEN', 'none')).toMatchObject({
      value: 'none',
      errorCode: ErrorCode.GENERAL,
    });
    expect(await client.getStringDetails('FEATURE_LONG', 'none')).toMatchObject({
      value: 'none',
      errorCode: ErrorCode.PARSE_ERROR,
    });
  });

  it('sees a change at once', async () => {
    const client = await clientWith(token);
    await put({ FEATURE_ON: 'on' });
    expect(await client.getBooleanValue('FEATURE_ON', false)).toBe(true);
    await put({ FEATURE_ON: 'off' });
    expect(await client.getBooleanValue('FEATURE_ON', true)).toBe(false);
  });

  it('gets its default with a wrong, a revoked or an expired token, and one of another role', async () => {
    await put({ FEATURE_ON: 'on' });
    const revoked = await tokenOf('evaluator');
    await revokeApiToken(store(), revoked.apiToken.id);
    const expired = await tokenOf('evaluator', Date.now() - 1);
    for (const bad of ['kw_wrong', revoked.token, expired.token, (await tokenOf('product')).token]) {
      const client = await clientWith(bad);
      expect(await client.getBooleanDetails('FEATURE_ON', false)).toMatchObject({
        value: false,
        reason: 'ERROR',
        errorCode: ErrorCode.GENERAL,
      });
    }
    expect(
      await (await clientWith((await tokenOf('admin')).token)).getBooleanValue('FEATURE_ON', false),
    ).toBe(true);
  });
});

describe('all flags at once', () => {
  it('are values or errors, by name, without one secret or variable', async () => {
    await put(FLAGS);
    await test.redis.hset('env_vars:FEATURE_HASH', 'a', 'b');
    await test.redis.set(Buffer.from('env_vars:FEATURE_\xff', 'latin1'), 'on');
    const response = await ask('');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    const text = await response.text();
    expect(text).not.toContain('hunter2');
    const { flags } = JSON.parse(text) as { flags: { key: string; value?: unknown; errorCode?: string }[] };
    expect(flags.map(({ key, value, errorCode }) => [key, value ?? errorCode])).toEqual([
      ['FEATURE_DB', 'GENERAL'],
      ['FEATURE_HASH', 'PARSE_ERROR'],
      ['FEATURE_LONG', 'PARSE_ERROR'],
      ['FEATURE_OFF', false],
      ['FEATURE_ON', true],
      ['FEATURE_ROLLOUT', '25%'],
      ['FEATURE_STORE_TOKEN', 'GENERAL'],
      ['FEATURE_\\xff', true],
    ]);
    expect(flags[4]).toEqual({
      key: 'FEATURE_ON',
      reason: 'STATIC',
      variant: 'on',
      value: true,
      metadata: { connection: 'main' },
    });
    const odd = await ask(`/${encodeURIComponent('FEATURE_\\xff')}`);
    expect(await odd.json()).toMatchObject({ key: 'FEATURE_\\xff', value: true });
  });

  it('are 304 while nothing changed, and only then', async () => {
    await put({ FEATURE_A: 'on', FEATURE_B: 'off', DEBUG: 'a' });
    const first = await ask('');
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    const again = (text: string) => ask('', { headers: { 'if-none-match': text } });
    await put({ DEBUG: 'b' });
    for (const text of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const same = await again(text);
      expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, '']);
    }
    for (const text of ['"other"', '', etag.slice(1, -1)]) expect((await again(text)).status).toBe(200);
    await put({ FEATURE_B: 'on' });
    const changed = await again(etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
    await test.redis.del('env_vars:FEATURE_B');
    const gone = await again(changed.headers.get('etag')!);
    expect(((await gone.json()) as { flags: unknown[] }).flags).toHaveLength(1);
  });

  it('cost one round trip of reads and hardly a scan for who asks all the time', async () => {
    await put(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`FEATURE_${i}`, 'on'])));
    await Promise.all(Array.from({ length: 5 }, () => ask('')));
    const before = test.handle.own.snapshot().commands;
    await ask('');
    await ask('/FEATURE_1');
    // 4 commands a flag; a scan of this small keyspace is 3 more at most.
    expect(test.handle.own.snapshot().commands - before).toBeLessThanOrEqual(4 * 301 + 4);
  });
});

describe('an evaluation is refused', () => {
  it('without credentials, with bad ones, and to every role but admin and evaluator', async () => {
    for (const path of ['', '/FEATURE_A']) {
      for (const bearer of ['', 'kw_bad']) {
        const response = await ask(path, { bearer });
        expect([response.status, (await response.json()).code]).toEqual([401, 'unauthenticated']);
      }
      for (const role of ['support', 'product', 'viewer'] as const) {
        const response = await ask(path, { bearer: (await tokenOf(role)).token });
        expect([response.status, (await response.json()).code]).toEqual([403, 'forbidden']);
      }
    }
  });

  it("in the protocol's words for a body it does not accept", async () => {
    await put({ FEATURE_A: 'on' });
    const answers = async (path: string, body: string | Buffer, headers = {}) => {
      const response = await ask(path, { body, headers });
      const { key, errorCode, errorDetails, code } = await response.json();
      expect(errorDetails.length).toBeGreaterThan(10);
      return [response.status, key, errorCode, code];
    };
    const parse = [400, 'FEATURE_A', 'PARSE_ERROR', 'bad_input'];
    expect(await answers('/FEATURE_A', '{"context":')).toEqual(parse);
    expect(await answers('/FEATURE_A', '[]')).toEqual(parse);
    expect(await answers('/FEATURE_A', Buffer.from([0x7b, 0xff, 0x7d]))).toEqual(parse);
    expect(await answers('/FEATURE_A', '{}', { 'content-type': 'text/plain' })).toEqual(parse);
    expect(await answers('/FEATURE_A', '{"unknown":1}')).toEqual(parse);
    const context = [400, 'FEATURE_A', 'INVALID_CONTEXT', 'bad_input'];
    for (const body of ['{"context":"me"}', '{"context":[1]}', '{"context":{"__proto__":{"a":1}}}'])
      expect(await answers('/FEATURE_A', body)).toEqual(context);
    expect(await answers('', '{"context":1}')).toEqual([400, undefined, 'INVALID_CONTEXT', 'bad_input']);
    const large = JSON.stringify({ context: { a: 'x'.repeat(2 * 1024 * 1024) } });
    expect(await answers('', large)).toEqual([413, undefined, 'PARSE_ERROR', 'too_large']);
    for (const body of ['', '{}', '{"context":null}', '{"context":{"targetingKey":"u","a":[{"b":1}]}}'])
      expect((await ask('/FEATURE_A', { body })).status).toBe(200);
  });

  it('for a variable that is not a flag, and on an unknown connection', async () => {
    await put({ JWT_SECRET: 'true', 'FEATURE_A:invalidated': 'true', FEATURE_A: 'on' });
    for (const name of [
      'JWT_SECRET',
      'FEATURE_A:invalidated',
      'FEATURE_NONE',
      'feature_a',
      'FEATURE_\u0000',
    ]) {
      const response = await ask(`/${encodeURIComponent(name)}`);
      expect([response.status, await response.json()]).toMatchObject([
        404,
        { key: name, errorCode: 'FLAG_NOT_FOUND', errorDetails: 'Flag not found.' },
      ]);
    }
    const response = await fetch(`${origin}/api/v1/connections/none/ofrep/v1/evaluate/flags`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(404);
  });
});
