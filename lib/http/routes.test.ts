import { encode } from 'next-auth/jwt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createApiToken, revokeApiToken } from '@/lib/access/api-tokens';
import { endSession, startSession } from '@/lib/access/session-records';
import { createUser, updateUser } from '@/lib/access/users';
import { listEntries } from '@/lib/audit/reads';
import { defineCommand } from '@/lib/command/define';
import { forgetEnv } from '@/lib/configuration';
import { changeInput, changeResult, contract, noInput } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import type { Role } from '@/lib/permissions';
import { closeConnections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { freePort } from '@/scripts/redis-server.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { commandRoute, downloadRoute, type RouteHandler, readRoute } from './routes';
import { shutdown } from './shutdown';
import { type EventSink, streamRoute } from './stream';

let test: TestContext;
const SECRET = 's3cret-inside';

beforeAll(async () => {
  process.env.NEXTAUTH_SECRET = 'a-secret-for-tests-only';
  test = await testContext();
});
beforeEach(async () => {
  closeStore();
  closeConnections();
  await test.empty();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(async () => {
  closeConnections();
  await test.close();
});

const tokenOf = (role: Role) =>
  createApiToken(store(), { name: role, role, createdBy: 'x', expiresAt: null }, Date.now());

const ask = async (
  handler: RouteHandler,
  {
    role = 'admin',
    token,
    connection = 'main',
    body,
    method,
    headers = {},
    signal,
  }: {
    role?: Role | null;
    token?: string;
    connection?: string;
    body?: string;
    method?: string;
    headers?: Record<string, string>;
    signal?: AbortSignal;
  } = {},
): Promise<Response> => {
  const bearer = token ?? (role ? (await tokenOf(role)).token : null);
  const request = new Request('http://127.0.0.1/api/v1/connections/main/thing', {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      'content-type': 'application/json',
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  });
  return handler(request, { params: Promise.resolve({ connection }) });
};

const path = '/api/v1/connections/{connection}/thing';
const thing = contract({
  id: 'test.thing',
  method: 'GET',
  path,
  permission: 'flags:toggle',
  summary: 'Test.',
  input: z.strictObject({ how: z.enum(['broken', 'gone', 'wrong']).optional() }),
  result: z.object({ value: z.string() }),
});

const read = readRoute(thing, async (ctx) => {
  await ctx.reader.size();
  return { value: 'x', secret: SECRET } as { value: string };
});

const problemOf = async (response: Response) => {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const document = (await response.json()) as Record<string, unknown>;
  expect(document).toMatchObject({
    type: expect.stringMatching(/^urn:keyward:problem:/),
    title: expect.any(String),
    status: response.status,
    detail: expect.any(String),
    code: expect.any(String),
    requestId: response.headers.get('x-request-id'),
  });
  expect(JSON.stringify(document)).not.toMatch(/s3cret|\\n\s*at |node_modules|lib\/|Error:/);
  return document;
};

describe('a read', () => {
  it('answers what the contract declares and nothing else', async () => {
    const response = await ask(read);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ value: 'x' });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('needs valid credentials and the permission', async () => {
    const nobody = await ask(read, { role: null });
    expect(nobody.headers.get('www-authenticate')).toBe('Bearer');
    expect(await problemOf(nobody)).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(await problemOf(await ask(read, { token: 'kw_wrong' }))).toMatchObject({ status: 401 });
    expect(await problemOf(await ask(read, { role: 'viewer' }))).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    expect(await problemOf(await ask(read, { role: 'evaluator' }))).toMatchObject({ status: 403 });
    const refused = (await listEntries(store())).items.map(({ actor, detail }) => [actor, detail]);
    expect(refused).toEqual([
      ['API token evaluator', 'refused: needs flags:toggle'],
      ['API token viewer', 'refused: needs flags:toggle'],
    ]);
  });

  it('is 404 for an unknown connection, and 503 with the name of an unreachable one', async () => {
    for (const connection of ['nope', '__proto__', 'constructor', ''])
      expect(await problemOf(await ask(read, { connection }))).toMatchObject({
        status: 404,
        code: 'not_found',
      });
    const url = process.env.REDIS_URL;
    process.env.REDIS_URL = `redis://:${SECRET}@127.0.0.1:${await freePort()}`;
    closeConnections();
    forgetEnv();
    try {
      const response = await ask(read);
      expect(response.headers.get('retry-after')).toBe('2');
      expect(await problemOf(response)).toMatchObject({
        status: 503,
        code: 'unreachable',
        connection: 'main',
      });
    } finally {
      process.env.REDIS_URL = url;
      closeConnections();
      forgetEnv();
    }
  });

  it('that throws reveals nothing internal, and logs no message', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const broken = readRoute(thing, () => Promise.reject(new Error(SECRET, { cause: SECRET })));
    expect(await problemOf(await ask(broken))).toMatchObject({ status: 500, code: 'internal' });
    const caused = readRoute(thing, () =>
      Promise.reject(new Problem('conflict', 'It is in the way.', { cause: new Error(SECRET) })),
    );
    expect(await problemOf(await ask(caused))).toMatchObject({ status: 409, detail: 'It is in the way.' });
    const undeclared = readRoute(thing, async () => ({ other: SECRET }) as never);
    expect(await problemOf(await ask(undeclared))).toMatchObject({ status: 500 });
    expect(logged.mock.calls.flat().join('\n')).not.toContain(SECRET);
  });
});

describe('a change', () => {
  const put = contract({
    id: 'test.put',
    method: 'POST',
    path,
    permission: 'flags:toggle',
    summary: 'Test.',
    input: changeInput({ value: z.string() }),
    result: changeResult({ value: z.string() }),
  });
  const change = commandRoute(
    defineCommand({
      contract: put,
      target: () => 'thing',
      redact: () => ({}),
      run: async (_ctx, { value }) => ({ result: { value } }),
    }) as never,
  );

  it('is made with the permission, and answers with its audit id', async () => {
    const response = await ask(change, { role: 'product', body: '{"value":"x"}' });
    expect(response.status).toBe(200);
    const { auditId, ...rest } = (await response.json()) as { auditId: string };
    expect(rest).toEqual({ value: 'x' });
    expect((await listEntries(store())).items[0]).toMatchObject({ id: auditId, outcome: 'succeeded' });
  });

  it('is refused by role before its body is read', async () => {
    for (const body of ['{"value":"x"}', 'no json', '{"nope":1}', 'x'.repeat(2 * 1024 * 1024)])
      expect(await problemOf(await ask(change, { role: 'viewer', body }))).toMatchObject({ status: 403 });
    expect(await problemOf(await ask(change, { role: null, body: 'no json' }))).toMatchObject({
      status: 401,
    });
    expect(await problemOf(await ask(change, { body: 'no json' }))).toMatchObject({ status: 400 });
  });

  it.each([
    ['a change', change],
    ['a read', readRoute(put, async () => ({ value: 'x' }) as never)],
  ])('whose body comes slowly is refused to whoever may not by then: %s', async (_what, handler) => {
    const { token, apiToken } = await tokenOf('product');
    let end = (): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"value":'));
        end = () => {
          controller.enqueue(new TextEncoder().encode('"x"}'));
          controller.close();
        };
      },
    });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const url = 'http://127.0.0.1/api/v1/connections/main/thing';
    const request = new Request(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
    const answer = handler(request, { params: Promise.resolve({ connection: 'main' }) });
    // It was let in, and its body is being read.
    await expect.poll(() => request.bodyUsed).toBe(true);
    await revokeApiToken(store(), apiToken.id);
    end();
    expect((await answer).status).toBe(401);
  });

  it('with a cookie is accepted from our own pages only; Bearer is exempt', async () => {
    const cookie = { cookie: 'next-auth.session-token=x', origin: 'https://evil.example' };
    const response = await ask(change, { role: null, body: '{"value":"x"}', headers: cookie });
    expect([401, 403]).toContain(response.status);
    expect(
      (await ask(change, { body: '{"value":"x"}', headers: { origin: 'https://evil.example' } })).status,
    ).toBe(200);
  });
});

describe('a download', () => {
  const file = contract({
    id: 'test.file',
    method: 'GET',
    path,
    permission: 'flags:toggle',
    summary: 'Test.',
    input: noInput,
    result: z.object({}),
  });

  it.each([
    ['ends with an error when the permission ends', true],
    ['goes on for whoever still may', false],
  ])('%s', async (_, revoked) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { token, apiToken } = await tokenOf('product');
    let pages = 0;
    let stopped = false;
    const parts = async function* () {
      try {
        while (pages < 100) yield `page ${++pages};`;
      } finally {
        stopped = pages < 100;
      }
    };
    const handler = downloadRoute(file, () => ({
      body: parts(),
      contentType: 'text/csv',
      fileName: 'f.csv',
    }));
    const reader = (await ask(handler, { token })).body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('page 1;');
    if (revoked) await revokeApiToken(store(), apiToken.id);
    vi.setSystemTime(Date.now() + 2000);
    const rest = (async () => {
      let read = 0;
      while (!(await reader.read()).done) read += 1;
      return read;
    })();
    if (!revoked) expect(await rest).toBe(99);
    else await expect(rest).rejects.toThrow('The sign-in or the permission for this ended.');
    expect([pages < 5, stopped]).toEqual([revoked, revoked]);
  });
});

describe('a stream', () => {
  const watch = contract({
    id: 'test.watch',
    method: 'GET',
    path,
    permission: 'flags:toggle',
    summary: 'Test.',
    input: noInput,
    result: z.object({}),
    stream: true,
  });

  /** A stream whose serving side is in the test's hands. */
  const opened = async (options: Parameters<typeof ask>[1] = {}) => {
    let sink: EventSink | null = null;
    let served = false;
    const handler = streamRoute(watch, async (_ctx, _input, given) => {
      sink = given;
      await new Promise<void>((resolve) => {
        if (given.signal.aborted) resolve();
        else given.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      served = true;
    });
    const response = await ask(handler, options);
    const text = response.ok ? response.text() : null;
    return { response, text, sink: () => sink!, served: () => served };
  };

  it('sends events with ids, and ends when the client disconnects', async () => {
    const client = new AbortController();
    const stream = await opened({ signal: client.signal, headers: { 'last-event-id': '5-0' } });
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.sink().lastEventId).toBe('5-0');
    stream.sink().send('point', { hits: 1 }, '6-0');
    stream.sink().send('gap', { reason: 'line\nbreak' });
    client.abort();
    expect(await stream.text).toBe(
      'retry: 2000\n\nid: 6-0\nevent: point\ndata: {"hits":1}\n\nevent: gap\ndata: {"reason":"line\\nbreak"}\n\n',
    );
    await expect.poll(stream.served).toBe(true);
    stream.sink().send('point', { hits: 2 });
  });

  it('ends immediately for a client that disconnected before the start', async () => {
    const stream = await opened({ signal: AbortSignal.abort() }).catch(() => null);
    if (stream) await expect.poll(stream.served).toBe(true);
  });

  it('ends when reading is cancelled', async () => {
    let sink: EventSink | null = null;
    const response = await ask(
      streamRoute(watch, (_ctx, _input, given) => {
        sink = given;
        return new Promise(() => undefined);
      }),
    );
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    expect((sink as unknown as EventSink).signal.aborted).toBe(true);
  });

  it('is not opened for HEAD, whose body nobody reads', async () => {
    const serve = vi.fn(() => Promise.resolve());
    const response = await ask(streamRoute(watch, serve), { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type'), response.body]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      null,
    ]);
    expect(serve).not.toHaveBeenCalled();
    expect((await ask(streamRoute(watch, serve), { method: 'HEAD', role: 'viewer' })).status).toBe(403);
  });

  it('requires the same as a read', async () => {
    expect((await opened({ role: null })).response.status).toBe(401);
    expect((await opened({ role: 'viewer' })).response.status).toBe(403);
    expect((await opened({ connection: 'nope' })).response.status).toBe(404);
  });

  for (const [how, take] of [
    ['is taken away', (id: string) => revokeApiToken(store(), id)],
    ['becomes another', (id: string) => test.storeRedis.hset(`keyward:api-token:${id}`, 'role', 'admin')],
  ] as const)
    it(`ends when the permission ${how}`, async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const { token, apiToken } = await tokenOf('product');
      const stream = await opened({ token });
      vi.advanceTimersByTime(20_000);
      await new Promise((resolve) => setImmediate(resolve));
      expect(stream.served()).toBe(false);
      await take(apiToken.id);
      await expect
        .poll(
          () => {
            vi.advanceTimersByTime(20_000);
            return stream.served();
          },
          { timeout: 3000 },
        )
        .toBe(true);
      expect(await stream.text).toContain('event: end');
    });

  it.each(['signing out', 'disabling'])('ends within two seconds of %s', async (how) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const user = { email: 'petra@example.org', name: 'Petra', role: 'product' as const, passwordHash: '' };
    const created = await createUser(store(), user, { now: Date.now() });
    if (!created.ok) throw new Error(created.reason);
    const begun = await startSession(store(), created.user, Date.now());
    const cookie = `next-auth.session-token=${await encode({ token: begun, secret: process.env.NEXTAUTH_SECRET! })}`;
    const stream = await opened({ role: null, headers: { cookie } });
    expect(stream.response.status).toBe(200);
    if (how === 'disabling') await updateUser(store(), created.user.id, { disabled: true });
    else await endSession(store(), begun.session);
    vi.advanceTimersByTime(2000);
    await expect.poll(stream.served, { timeout: 3000 }).toBe(true);
    expect(await stream.text).toContain('event: end');
  });

  it('continues while the store is unreachable', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const stream = await opened({ token: (await tokenOf('product')).token });
    const url = process.env.KEYWARD_STORE_URL;
    process.env.KEYWARD_STORE_URL = `redis://127.0.0.1:${await freePort()}`;
    closeStore();
    forgetEnv();
    try {
      vi.advanceTimersByTime(60_000);
      await expect(store().use((redis) => redis.ping())).rejects.toThrow();
      expect(stream.served()).toBe(false);
      stream.sink().send('point', {});
    } finally {
      process.env.KEYWARD_STORE_URL = url;
      closeStore();
      forgetEnv();
    }
  });

  it('sends a failure as an event, without internals', async () => {
    for (const [error, code] of [
      [new Error(SECRET), 'internal'],
      [new Problem('not_found', 'It is gone.'), 'not_found'],
    ] as const) {
      const response = await ask(streamRoute(watch, () => Promise.reject(error)));
      const text = await response.text();
      expect(text).toContain('event: error');
      expect(text).toContain(`"code":"${code}"`);
      expect(text).not.toContain(SECRET);
    }
  });

  it('disconnects a client that reads nothing', async () => {
    let sink: EventSink | null = null;
    const response = await ask(
      streamRoute(watch, (_ctx, _input, given) => {
        sink = given;
        return new Promise(() => undefined);
      }),
    );
    for (let i = 0; i < 2000; i++) (sink as unknown as EventSink).send('point', { i });
    expect((sink as unknown as EventSink).signal.aborted).toBe(true);
    expect((await response.text()).length).toBeLessThan(100_000);
  });

  it('ends when the process stops', async () => {
    const streams = [await opened(), await opened()];
    shutdown().abort();
    try {
      for (const stream of streams) {
        // Not all clients connect again at the same moment.
        expect(await stream.text).toMatch(/\nretry: [123]\d{3}\n\n$/);
        expect(stream.served()).toBe(true);
      }
    } finally {
      shutdown.forget();
    }
  });
});
