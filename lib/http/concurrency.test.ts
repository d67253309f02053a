import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createApiToken, revokeApiToken } from '@/lib/access/api-tokens';
import { createUser, findUserByEmail } from '@/lib/access/users';
import { listEntries } from '@/lib/audit/reads';
import { defineCommand } from '@/lib/command/define';
import { type Contract, changeInput, changeResult, contract, noInput } from '@/lib/contract';
import { newId } from '@/lib/ids';
import { closeConnections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { commandRoute, downloadRoute, type RouteHandler, readRoute } from './routes';
import { shutdown } from './shutdown';
import { type EventSink, streamRoute } from './stream';

let test: TestContext;

beforeAll(async () => {
  process.env.NEXTAUTH_SECRET = 'a-secret-for-tests-only';
  test = await testContext();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(async () => {
  closeStore();
  closeConnections();
  await test.close();
});

const path = '/api/v1/connections/{connection}/thing';
const thing = (declared: Partial<Contract>) =>
  contract({
    id: 'test.thing',
    method: 'GET',
    path,
    permission: 'view',
    summary: 'Test.',
    input: noInput,
    result: z.object({}),
    ...declared,
  } as Contract);

const ownerOf = async (name: string): Promise<string> => {
  const user = { email: `${name}@example.org`, name, role: 'admin' as const, passwordHash: '-' };
  const made = await createUser(store(), user, { now: Date.now() });
  if (made.ok) return made.user.id;
  return (await findUserByEmail(store(), user.email))!.id;
};

const tokenOf = async (name?: string) => {
  const owner = name && (await ownerOf(name));
  const { token, apiToken } = await createApiToken(
    store(),
    { name: newId(), role: 'admin', createdBy: 'x', expiresAt: null, owner },
    Date.now(),
  );
  return { token, id: apiToken.id };
};

const ask = (
  handler: RouteHandler,
  token: string,
  { body, signal = null }: { body?: object; signal?: AbortSignal | null } = {},
): Promise<Response> =>
  handler(
    new Request('http://127.0.0.1/api/v1/connections/main/thing', {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: body ? JSON.stringify(body) : null,
      signal,
    }),
    { params: Promise.resolve({ connection: 'main' }) },
  );

const times = <T>(n: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: n }, (_, i) => make(i)));

const refusalOf = async (response: Response) => {
  const { code, detail } = (await response.json()) as { code: string; detail: string };
  return { status: response.status, retryAfter: response.headers.get('retry-after'), code, detail };
};

describe('streams', () => {
  const watch = thing({ stream: true });
  const sinks: EventSink[] = [];
  const open = streamRoute(watch, async (_ctx, _input, sink) => {
    sinks.push(sink);
    await new Promise((resolve) => sink.signal.addEventListener('abort', resolve, { once: true }));
  });

  /** How many more a user may open; they are closed again. */
  const room = async (token: string): Promise<number> => {
    for (let opened: Response[] = []; ; ) {
      const response = await ask(open, token);
      if (response.status === 200) {
        opened.push(response);
        continue;
      }
      for (const each of opened) await each.body!.cancel();
      return opened.length;
    }
  };

  it('are eight per user, whichever tokens they use; the ninth is refused with a reason before it opens', async () => {
    const [first, second, other] = [await tokenOf('ann'), await tokenOf('ann'), await tokenOf('bob')];
    const opened = await times(8, (i) => ask(open, i % 2 === 0 ? first.token : second.token));
    expect(opened.map(({ status }) => status)).toEqual(new Array(8).fill(200));
    const refused = await ask(open, first.token);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(await refusalOf(refused)).toEqual({
      status: 429,
      code: 'throttled',
      retryAfter: '5',
      detail: expect.stringContaining('8 live streams'),
    });
    expect((await ask(open, second.token)).status).toBe(429);
    expect(await room(other.token)).toBe(8);
    await opened[0]!.body!.cancel();
    expect(await room(first.token)).toBe(1);
    await Promise.all(opened.slice(1).map(({ body }) => body!.cancel()));
    expect(await room(second.token)).toBe(8);
  });

  it('are limited also when many are opened at the same moment, without audit entries', {
    tags: ['long'],
  }, async () => {
    const { token } = await tokenOf();
    const before = (await listEntries(store())).items.length;
    const answers = await times(50, () => ask(open, token));
    const byStatus = (status: number) => answers.filter((answer) => answer.status === status);
    expect([byStatus(200).length, byStatus(429).length]).toEqual([8, 42]);
    expect((await listEntries(store())).items.length).toBe(before);
    for (const { body } of byStatus(200)) await body!.cancel();
    expect(await room(token)).toBe(8);
  });

  it('are no longer counted when the client disconnects, even before the start', async () => {
    const { token } = await tokenOf();
    const client = new AbortController();
    await times(8, () => ask(open, token, { signal: client.signal }));
    expect((await ask(open, token)).status).toBe(429);
    client.abort();
    expect(await room(token)).toBe(8);
    await times(20, () => ask(open, token, { signal: AbortSignal.abort() }));
    expect(await room(token)).toBe(8);
  });

  it('are no longer counted when the work ends, fails or throws', async () => {
    const { token } = await tokenOf();
    const works: (() => Promise<void>)[] = [
      async () => undefined,
      () => Promise.reject(new Error('broken')),
      () => {
        throw new Error('broken');
      },
    ];
    for (const work of works) {
      const handler = streamRoute(watch, work);
      for (let i = 0; i < 10; i++) {
        const response = await ask(handler, token);
        expect(response.status).toBe(200);
        await response.text();
      }
    }
    expect(await room(token)).toBe(8);
  });

  it('are no longer counted when the client reads nothing, or its permission ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const [slow, gone] = [await tokenOf('cleo'), await tokenOf('cleo')];
    const since = sinks.length;
    const unread = await times(4, () => ask(open, slow.token));
    for (const sink of sinks.slice(since)) for (let i = 0; i < 2000; i++) sink.send('point', { i });
    expect(await room(slow.token)).toBe(8);
    const watched = await times(4, () => ask(open, gone.token));
    expect(await room(slow.token)).toBe(4);
    await revokeApiToken(store(), gone.id);
    await expect
      .poll(
        async () => {
          vi.advanceTimersByTime(20_000);
          return room(slow.token);
        },
        { timeout: 5000 },
      )
      .toBe(8);
    expect([unread.length, watched.length]).toEqual([4, 4]);
  });

  it('are no longer counted when the process stops', async () => {
    const { token } = await tokenOf();
    await times(8, () => ask(open, token));
    shutdown().abort();
    shutdown.forget();
    expect(await room(token)).toBe(8);
  });
});

/** Work that goes on until it is let go. */
const held = () => {
  let letGo = () => {};
  const over = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { over, letGo };
};

describe('calls', () => {
  it('of a user wait for each other and keep nobody else waiting; too many are refused', {
    tags: 'long',
  }, async () => {
    const [heavy, other] = [await tokenOf('hugo'), await tokenOf('ida')];
    const { over, letGo } = held();
    let begun = 0;
    const read = readRoute(thing({}), async () => {
      begun += 1;
      await over;
      return {};
    });
    const client = new AbortController();
    const gone = times(50, () => ask(read, heavy.token, { signal: client.signal }));
    await expect.poll(() => begun).toBeGreaterThan(0);
    const asked = times(200, () => ask(read, heavy.token));
    const quick = readRoute(thing({}), async () => ({}));
    expect((await ask(quick, other.token)).status).toBe(200);
    const running = begun;
    expect(running).toBeLessThanOrEqual(8);
    client.abort();
    letGo();
    const answers = await asked;
    const statuses = answers.map(({ status }) => status);
    const refused = answers.filter(({ status }) => status === 429);
    expect([new Set(statuses), refused.length]).toEqual([new Set([200, 429]), 42]);
    expect(await refusalOf(refused[0]!)).toMatchObject({ code: 'throttled', retryAfter: '1' });
    // Whoever had gone before its turn was not worked for.
    expect(begun).toBe(running + 158);
    expect((await gone).filter(({ status }) => status === 499)).toHaveLength(50 - running);
  });

  it('that are refused are slowed down too when a user sends a crowd of them, and nobody else is', {
    tags: 'long',
  }, async () => {
    const [heavy, other] = [await tokenOf('kim'), await tokenOf('lea')];
    const input = z.object({ id: z.string() });
    const read = readRoute(thing({ input }), async () => ({}));
    const stream = streamRoute(thing({ input, stream: true }), async () => undefined);
    for (const handler of [read, stream]) {
      const began = performance.now();
      let refused = 0;
      const crowd = times(64, async () => {
        const { status } = await ask(handler, heavy.token);
        refused += 1;
        return status;
      });
      expect((await ask(read, other.token)).status).toBe(400);
      expect(refused).toBeLessThan(64);
      expect(new Set(await crowd)).toEqual(new Set([400]));
      // About 30 of them in pairs, each of which pauses for 20 ms. Timers may be early by less than 1 ms.
      expect(performance.now() - began).toBeGreaterThan(200);
    }
  });
});

describe('downloads', () => {
  it('are two per user, and counted until the client has them or has gone', { tags: 'long' }, async () => {
    const { token } = await tokenOf('jan');
    const { over, letGo } = held();
    const file = downloadRoute(thing({ download: true, result: z.string() }), () => ({
      contentType: 'text/csv',
      fileName: 'f.csv',
      body: (async function* () {
        yield 'a';
        await over;
        yield 'b';
      })(),
    }));
    const client = new AbortController();
    const [one, two] = [await ask(file, token), await ask(file, token, { signal: client.signal })];
    expect(await refusalOf(await ask(file, token))).toMatchObject({ status: 429, retryAfter: '2' });
    client.abort();
    const three = await ask(file, token);
    expect([one.status, two.status, three.status]).toEqual([200, 200, 200]);
    letGo();
    expect(await one.text()).toBe('ab');
    expect(await three.text()).toBe('ab');
    const again = await times(2, () => ask(file, token));
    expect(again.map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all(again.map(({ body }) => body!.cancel()));
    expect((await ask(file, token)).status).toBe(200);
  });
});

describe('searches and previews', () => {
  it('are four per user, including streams', { tags: 'long' }, async () => {
    const { token } = await tokenOf('dan');
    const { over, letGo } = held();
    const read = readRoute(thing({ walks: true }), () => over.then(() => ({})));
    const search = streamRoute(thing({ stream: true, walks: true }), () => over);
    const running = [ask(read, token), ask(read, token), ask(read, (await tokenOf('dan')).token)];
    const stream = await ask(search, token);
    expect(stream.status).toBe(200);
    for (const handler of [read, search])
      expect(await refusalOf(await ask(handler, token))).toEqual({
        status: 429,
        code: 'throttled',
        retryAfter: '2',
        detail: expect.stringContaining('4 searches or previews'),
      });
    const others = times(4, async () => (await ask(read, (await tokenOf('eve')).token)).status);
    letGo();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await others).toEqual([200, 200, 200, 200]);
    await stream.text();
    expect(await times(4, async () => (await ask(read, token)).status)).toEqual([200, 200, 200, 200]);
  });

  it('are limited by their input: a dry run is, the change itself is not', { tags: 'long' }, async () => {
    const { token } = await tokenOf();
    const { over, letGo } = held();
    const command = defineCommand({
      contract: contract({
        id: 'test.put',
        method: 'POST',
        path,
        permission: 'view',
        summary: 'Test.',
        walks: 'dryRun',
        input: changeInput({ dryRun: z.boolean().default(false) }),
        result: changeResult({}).extend({ auditId: z.string().nullable() }),
      }),
      target: () => 'thing',
      redact: () => ({}),
      preview: () => over.then(() => ({})),
      run: async () => ({ result: {} }),
    });
    const change = commandRoute(command as never);
    const running = Array.from({ length: 4 }, () => ask(change, token, { body: { dryRun: true } }));
    await expect
      .poll(
        async () =>
          (await ask(change, token, { body: { dryRun: true }, signal: AbortSignal.timeout(50) })).status,
      )
      .toBe(429);
    for (let i = 0; i < 6; i++) expect((await ask(change, token, { body: {} })).status).toBe(200);
    letGo();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('are aborted when the client disconnects, without a log entry', { tags: 'long' }, async () => {
    const { token } = await tokenOf();
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const client = new AbortController();
    const read = readRoute(thing({ walks: true }), async ({ signal }) => {
      await new Promise((resolve) => signal!.addEventListener('abort', resolve, { once: true }));
      signal!.throwIfAborted();
      return {};
    });
    const given = times(4, () => ask(read, token, { signal: client.signal }));
    const quick = readRoute(thing({ walks: true }), async () => ({}));
    await expect.poll(async () => (await ask(quick, token)).status).toBe(429);
    client.abort();
    await given;
    expect((await ask(quick, token)).status).toBe(200);
    expect(logged).not.toHaveBeenCalled();
  });
});
