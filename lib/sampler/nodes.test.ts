import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readEnv } from '@/lib/configuration';
import { readHistoryEvents } from '@/lib/history/events';
import { readNodeFigures } from '@/lib/history/node-figures';
import { type LiveRow, readLive } from '@/lib/history/points';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { closeStore, openStore, store } from '@/lib/redis/store';
import { startRedis } from '@/scripts/redis-server.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type Primaries, primariesAt } from '@/scripts/testing/two-primaries';
import { InfoProbe } from './info-probe';
import { OwnTrafficReport } from './own-traffic';

let test: TestContext;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  test = await testContext();
});
beforeEach(async () => {
  closeStore();
  await test.empty();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => test.close());

const server = async (options: { port?: number; args?: string[] } = {}) => {
  const started = await startRedis(options);
  const app = test.redis.duplicate({ port: started.port! });
  app.on('error', () => undefined);
  closing.push(
    () => app.disconnect(),
    () => started.stop(),
  );
  return { ...started, app };
};
type Server = Awaited<ReturnType<typeof server>>;

/** As another process of the console sees them. */
const primaries = (...servers: readonly Pick<Server, 'url'>[]): Primaries => {
  const [config] = readEnv({ REDIS_URL: servers[0]!.url }).connections;
  const opened = primariesAt(
    { ...config!, id: 'main' },
    servers.map(({ url }) => url),
  );
  closing.push(() => opened.close());
  return opened;
};

const probeOf = ({ handle }: Primaries) => new InfoProbe(handle, store(), 'one');

/** What an application does on one server. */
const work = async ({ app }: Pick<Server, 'app'>, hits: number, misses: number) => {
  const pipeline = app.pipeline().set('there', 'x');
  for (let i = 0; i < hits; i++) pipeline.get('there');
  for (let i = 0; i < misses; i++) pipeline.get('not there');
  await pipeline.exec();
};

const samples = async (): Promise<LiveRow['sample'][]> =>
  (await readLive(store(), 'main', 0)).map(({ sample }) => sample);
const buckets = async () =>
  (await samples()).flatMap((sample) => ('bucket' in sample ? [sample.bucket] : []));
const totals = async () => {
  const all = await buckets();
  const sum = (of: 'hits' | 'misses' | 'commands') => all.reduce((total, bucket) => total + bucket[of], 0);
  return { hits: sum('hits'), misses: sum('misses'), commands: sum('commands') };
};
const events = () => readHistoryEvents(store(), 'main', 0, Date.now() + 60_000);
const texts = async () => (await events()).map(({ text }) => text);
const expectNoNegative = async () => {
  for (const { latencyMs: _, ...bucket } of await buckets())
    for (const [name, value] of Object.entries(bucket)) expect([name, value >= 0]).toEqual([name, true]);
};

it('counts no command of its own, and every one of an application', async () => {
  const one = await server();
  const probe = probeOf(primaries(one));
  for (let i = 0; i < 3; i++) await probe.sample();
  await work(one, 10, 5);
  await probe.sample();
  await probe.sample();
  expect(await totals()).toEqual({ hits: 10, misses: 5, commands: 16 });
});

it('subtracts what a process of an earlier version reports for the connection', async () => {
  const one = await server();
  const probe = probeOf(primaries(one));
  const key = consoleFamilies.ownTraffic.key({ connection: 'main' });
  await test.storeRedis.hset(key, { elder: `5:5:10:${Date.now()}` });
  await probe.sample();
  await work(one, 30, 10);
  await test.storeRedis.hset(key, { elder: `25:5:30:${Date.now()}` });
  await probe.sample();
  expect(await totals()).toMatchObject({ hits: 10, misses: 10 });
});

describe('two primaries', () => {
  it('are one server in the figures of the connection, and two in those of nodes', {
    tags: ['long'],
  }, async () => {
    const [one, two] = [await server(), await server()];
    const probe = probeOf(primaries(one, two));
    await probe.sample();
    await work(one, 80, 20);
    await work(two, 30, 70);
    await probe.sample();
    expect(await totals()).toMatchObject({ hits: 110, misses: 90 });
    expect((await samples()).at(-1)).toMatchObject({ figures: { keys: 2 } });
    const figures = [...(await readNodeFigures(store(), 'main', Date.now())).values()];
    expect(figures.map(({ hitRate }) => hitRate)).toEqual([0.8, 0.3]);
    for (const { opsPerSecond } of figures) expect(opsPerSecond).toBeGreaterThan(0);
    expect(await texts()).toEqual([]);
  });

  it('come and go without a restart, a gap or a negative rate of the other', { tags: ['long'] }, async () => {
    const [one, two] = [await server(), await server()];
    const topology = primaries(one);
    const probe = probeOf(topology);
    await work(two, 5000, 5000);
    await probe.sample();
    await probe.sample();
    const node = topology.add(two.url);
    await work(one, 10, 0);
    await probe.sample();
    await work(two, 7, 3);
    await probe.sample();
    topology.remove(node);
    await work(one, 1, 1);
    await probe.sample();
    expect(await totals()).toMatchObject({ hits: 18, misses: 4 });
    expect((await samples()).every((sample) => 'bucket' in sample)).toBe(true);
    expect((await events()).map(({ kind }) => kind)).toEqual(['node-added', 'node-removed']);
    expect(await texts()).toEqual([
      `Node added: 127.0.0.1:${two.port}`,
      `Node removed: 127.0.0.1:${two.port}`,
    ]);
    await expectNoNegative();
  });

  it('have their own traffic subtracted each from its own server, also that of another process', {
    tags: ['long'],
  }, async () => {
    const [one, two] = [await server(), await server()];
    const [mine, theirs] = [primaries(one, two), primaries(one, two)];
    const another = openStore(process.env.KEYWARD_STORE_URL!);
    closing.push(() => another.close());
    const report = new OwnTrafficReport(theirs.handle, 'two');
    const probe = probeOf(mine);
    await probe.sample();
    await work(one, 60, 40);
    await work(two, 200, 0);
    const keys = Array.from({ length: 3000 }, (_, i) => Buffer.from(`absent:${i}`));
    for (const { handle } of [mine, theirs]) await handle.reader.readMany(keys.map((key) => ['EXISTS', key]));
    await report.send(another);
    await probe.sample();
    expect(await totals()).toMatchObject({ hits: 260, misses: 40 });
    // The other process goes on where the first server is another process by now.
    const [hits, misses] = [1000, 500];
    await one.stop();
    const again = await server({ port: one.port! });
    const isBack = () =>
      mine.nodes[0]!.client('read').state() === 'ready' &&
      theirs.nodes[0]!.client('read').state() === 'ready';
    await expect.poll(isBack, { timeout: 8000 }).toBe(true);
    await report.send(another);
    await probe.sample();
    await work(again, hits, misses);
    await theirs.handle.reader.readMany(keys.map((key) => ['EXISTS', key]));
    await report.send(another);
    await probe.sample();
    expect(await totals()).toMatchObject({ hits: 260 + hits, misses: 40 + misses });
    expect((await events()).map(({ kind }) => kind)).toEqual(['restart']);
  });

  it('go on while one does not answer, and say which', async () => {
    const [one, two] = [await server(), await server()];
    const probe = probeOf(primaries(one, two));
    await probe.sample();
    await work(one, 10, 0);
    await probe.sample();
    await two.stop();
    await work(one, 20, 5);
    await probe.sample();
    await one.stop();
    await probe.sample();
    expect(await totals()).toMatchObject({ hits: 30, misses: 5 });
    expect(await texts()).toEqual([
      `Unreachable: 127.0.0.1:${two.port}`,
      `Unreachable: 127.0.0.1:${one.port}`,
    ]);
    expect((await samples()).map((sample) => 'gap' in sample)).toEqual([false, false, true]);
  });
});

describe('a failover', () => {
  /** A primary with some traffic, its replica in sync, and a probe that has looked at it. */
  const pair = async () => {
    const primary = await server({ args: ['--repl-diskless-sync-delay', '0'] });
    const replica = await server({ args: ['--replicaof', '127.0.0.1', String(primary.port)] });
    await work(primary, 500, 500);
    const isInSync = async () => /master_link_status:up/.test(await replica.app.info('replication'));
    await expect.poll(isInSync, { timeout: 8000 }).toBe(true);
    const topology = primaries(primary);
    const probe = probeOf(topology);
    await probe.sample();
    await work(primary, 10, 0);
    await probe.sample();
    const move = () => topology.move(topology.nodes[0]!, replica.url);
    return {
      primary,
      replica,
      probe,
      topology,
      move,
      text: `Another server took over: 127.0.0.1:${replica.port}`,
    };
  };

  const expectOneMark = async (replica: Server, probe: InfoProbe, marks: string[]) => {
    await work(replica, 20, 5);
    await probe.sample();
    await probe.sample();
    expect((await events()).map(({ kind }) => kind)).toEqual(marks);
    expect(await totals()).toMatchObject({ hits: 30, misses: 5 });
    await expectNoNegative();
  };

  it('is one mark where the connection goes at once to the new primary', { tags: 'long' }, async () => {
    const { primary, replica, probe, move, text } = await pair();
    await primary.app.call('FAILOVER');
    const isPromoted = async () => /role:master/.test(await replica.app.info('replication'));
    await expect.poll(isPromoted, { timeout: 8000 }).toBe(true);
    move();
    await probe.sample();
    await expectOneMark(replica, probe, ['failover']);
    expect(await texts()).toEqual([text]);
  });

  it('is one mark where the old primary is demoted before the connection leaves it', {
    tags: 'long',
  }, async () => {
    const { primary, replica, probe, move } = await pair();
    await replica.app.replicaof('NO', 'ONE');
    await primary.app.replicaof('127.0.0.1', String(replica.port));
    await probe.sample();
    expect((await events()).map(({ kind }) => kind)).toEqual(['failover']);
    move();
    await probe.sample();
    await expectOneMark(replica, probe, ['failover']);
    expect(await texts()).toEqual([`Became a replica: 127.0.0.1:${primary.port}`]);
  });

  it('is one mark where the new primary is met before it is promoted', { tags: ['long'] }, async () => {
    const { replica, probe, move } = await pair();
    move();
    await probe.sample();
    await replica.app.replicaof('NO', 'ONE');
    await probe.sample();
    await expectOneMark(replica, probe, ['failover']);
  });

  it('is one mark, and no restart, after kill -9 of the primary', { tags: ['long'] }, async () => {
    const { primary, replica, probe, move } = await pair();
    process.kill(primary.pid!, 'SIGKILL');
    await primary.exited;
    await probe.sample();
    await probe.sample();
    await replica.app.replicaof('NO', 'ONE');
    move();
    await probe.sample();
    await expectOneMark(replica, probe, ['outage', 'recovered', 'failover']);
  });

  it('is marked again when the server becomes the primary another time', async () => {
    const { primary, probe } = await pair();
    await primary.app.replicaof('127.0.0.1', '1');
    await probe.sample();
    await primary.app.replicaof('NO', 'ONE');
    await probe.sample();
    expect((await events()).map(({ kind }) => kind)).toEqual(['failover', 'failover']);
  });
});
