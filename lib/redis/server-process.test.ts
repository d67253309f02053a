import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Problem } from '@/lib/errors';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { afterCall, restartBeside, restartDuring, stopServer } from '@/scripts/testing/restart';
import { scanKeys } from './scan';
import { connectedProcess, countWithRestart, processOf, walkWithRestart } from './server-process';

let test: TestContext;
beforeEach(async () => {
  test = await testContext({ scan: { chunk: 20, pauseMs: 0, maxAddedLatencyMs: 1000 } });
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < 227; i++) pipeline.set(`k:${i}`, '');
  await pipeline.exec();
});
afterEach(() => test.close());

const keysOf = async (walk: AsyncIterable<{ keys: Buffer[] }>): Promise<string[]> => {
  const found: string[] = [];
  for await (const { keys } of walk) found.push(...keys.map(String));
  return found;
};

it('tells one process of a server from the next, and knows one again after a lost connection', {
  tags: ['long'],
}, async () => {
  const before = await connectedProcess(test.handle);
  const addresses = async () =>
    String(await test.redis.client('LIST')).match(/ addr=\S+(?= .* name=keyward)/g)!;
  const clients = await addresses();
  for (const address of clients) await test.redis.client('KILL', 'ADDR', address.slice(' addr='.length));
  await expect.poll(() => test.handle.reader.size().catch(() => null)).toBe(227);
  expect(await connectedProcess(test.handle)).toBe(before);
  expect(await addresses()).not.toEqual(clients);
  await test.restart();
  expect(processOf(test.handle)).not.toBe(before);
});

it('begins a walk again in another process, and says so', async () => {
  restartDuring(test, 5);
  let restarted = 0;
  const walk = walkWithRestart(test.handle, () => scanKeys(test.handle), {
    restarted: () => void restarted++,
  });
  expect(new Set(await keysOf(walk)).size).toBe(227);
  expect(restarted).toBe(1);
});

it('begins a count again in another process', { tags: ['long'] }, async () => {
  restartDuring(test, 5);
  expect(await countWithRestart(test.handle, async () => (await keysOf(scanKeys(test.handle))).length)).toBe(
    227,
  );
});

it('gives up with the reason where it happens again and again', { tags: 'long' }, async () => {
  restartDuring(test, 2, 4, 6, 8);
  const walk = keysOf(walkWithRestart(test.handle, () => scanKeys(test.handle)));
  const problem = await problemOf(walk);
  expect(problem).toMatchObject({ status: 503, code: 'unreachable' });
  expect(problem.message).toContain('restarted or failed over');
});

describe('where the walk itself meets the loss of the server', () => {
  const walk = (options: Parameters<typeof walkWithRestart>[2] = {}) =>
    walkWithRestart(test.handle, () => scanKeys(test.handle), options);

  it('a walk begins again once the server is back', { tags: ['long'] }, async () => {
    const { back } = restartBeside(test, 5);
    let restarted = 0;
    const found = await keysOf(
      walk({ restarted: () => void restarted++, signal: new AbortController().signal }),
    );
    await back();
    expect(new Set(found).size).toBe(227);
    expect(restarted).toBe(1);
  });

  it('a count begins again once the server is back', { tags: ['long'] }, async () => {
    const { back } = restartBeside(test, 5);
    const count = async () => (await keysOf(scanKeys(test.handle))).length;
    expect(await countWithRestart(test.handle, count, new AbortController().signal)).toBe(227);
    await back();
  });

  it('a walk begins again in the same process where only the connection was lost', {
    tags: ['long'],
  }, async () => {
    const [node] = test.handle.topology.primaries();
    const before = await connectedProcess(test.handle);
    afterCall(
      test,
      (call) => call === 5,
      () => node!.client('scan').redis.disconnect(true),
    );
    let restarted = 0;
    expect(new Set(await keysOf(walk({ restarted: () => void restarted++ }))).size).toBe(227);
    expect(restarted).toBe(1);
    expect(processOf(test.handle)).toBe(before);
  });

  it('a request gives up soon where the server stays away', { tags: 'long' }, async () => {
    afterCall(
      test,
      (call) => call === 5,
      () => stopServer(test),
    );
    expect(await problemOf(keysOf(walk()))).toMatchObject({ status: 503, code: 'unreachable' });
  });

  it('a job stops waiting when it is cancelled', async () => {
    const job = new AbortController();
    afterCall(
      test,
      (call) => call === 5,
      async () => {
        await stopServer(test);
        setTimeout(() => job.abort('cancelled'), 50);
      },
    );
    await expect(keysOf(walk({ signal: job.signal }))).rejects.toBe('cancelled');
  });

  it.each(['unreachable', 'loading'] as const)(
    'what its reader meets of its own ends it: %s',
    async (code) => {
      let restarted = 0;
      const own = new Problem(code, 'a change failed');
      const consume = async () => {
        for await (const _ of walk({ restarted: () => void restarted++ })) throw own;
      };
      await expect(consume()).rejects.toBe(own);
      expect(restarted).toBe(0);
    },
  );

  it("the loss of the console's own store ends it", async () => {
    const own = new Problem('store_unavailable', 'the store is gone');
    let walks = 0;
    const failing = async () => {
      walks += 1;
      throw own;
    };
    await expect(countWithRestart(test.handle, failing)).rejects.toBe(own);
    await expect(keysOf(walkWithRestart(test.handle, failing))).rejects.toBe(own);
    expect(walks).toBe(2);
  });

  it('it gives up where each walk loses the connection', async () => {
    let walks = 0;
    const lost = new Problem('unreachable', 'lost');
    const failing = async () => {
      walks += 1;
      throw lost;
    };
    await expect(countWithRestart(test.handle, failing)).rejects.toBe(lost);
    expect(walks).toBe(4);
  });
});

describe('where our user may not ask which process it is', () => {
  beforeEach(async () => {
    await test.close();
    // ioredis warns of each connection without INFO.
    vi.spyOn(console, 'warn').mockReturnValue();
    const redisArgs = ['--user', 'blind', 'on', '>pass', '~*', '&*', '+@read', '+ping'];
    const scan = { chunk: 20, pauseMs: 0, maxAddedLatencyMs: 1000 };
    test = await testContext({ redisArgs, user: 'blind:pass', scan });
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 227; i++) pipeline.set(`k:${i}`, '');
    await pipeline.exec();
  });
  afterEach(() => void vi.restoreAllMocks());

  const reconnect = async (purpose: 'read' | 'scan') => {
    const [node] = test.handle.topology.primaries();
    const client = node!.client(purpose);
    const before = client.process();
    client.redis.disconnect(true);
    await expect.poll(() => client.state() === 'ready' && client.process() !== before).toBe(true);
  };

  it('a connection that gave no cursor may be lost meanwhile', { tags: 'long' }, async () => {
    await test.handle.reader.size();
    afterCall(
      test,
      () => true,
      () => reconnect('read'),
    );
    const walk = walkWithRestart(test.handle, () => scanKeys(test.handle), { maxRestarts: 0 });
    expect((await keysOf(walk)).length).toBe(227);
  });

  it('one that did is reported as lost, not as a restart', async () => {
    afterCall(
      test,
      (call) => call === 5,
      () => reconnect('scan'),
    );
    const problem = await problemOf(
      keysOf(walkWithRestart(test.handle, () => scanKeys(test.handle), { maxRestarts: 0 })),
    );
    expect(problem).toMatchObject({ status: 503, code: 'unreachable' });
    expect(problem.message).toContain('the connection was lost');
    expect(problem.message).not.toContain('restarted');
  });

  it('cursors of collections are of the same connection', async () => {
    await test.redis.sadd('set', ...Array.from({ length: 1000 }, (_, i) => `m:${i}`));
    const key = Buffer.from('set');
    const before = await connectedProcess(test.handle);
    await test.handle.reader.scanCollection('SSCAN', key, '0');
    await reconnect('scan');
    await test.handle.reader.scanCollection('SSCAN', key, '0');
    expect(await connectedProcess(test.handle)).not.toBe(before);
    const [node] = test.handle.topology.primaries();
    expect(node!.clients()).toHaveLength(1);
  });
});
