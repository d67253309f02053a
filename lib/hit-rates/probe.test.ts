import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { findEntry, listEntries } from '@/lib/audit/reads';
import { isWindowOpen, withMonitorLease } from '@/lib/calls/monitor-lease';
import type { Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { registerJob } from '@/lib/jobs/define';
import { closeQueue } from '@/lib/jobs/queue';
import { readRecord } from '@/lib/jobs/record';
import { type Runner, startRunner } from '@/lib/jobs/runner';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { closeConnections, openConnection } from '@/lib/redis/connections';
import { LatencyGuard } from '@/lib/redis/latency-guard';
import { store } from '@/lib/redis/store';
import { sessionContracts } from '@/lib/sessions/schema';
import { listSessions } from '@/lib/sessions/search';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { exactly } from '@/scripts/testing/round-trip';
import { seedSession } from '@/scripts/testing/sessions';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import { setSampling, takeSample } from './commands';
import { restoreLeftFlags } from './flags';
import { sampleJob, sampleJobWith } from './job';
import { HitRateProbe } from './probe';
import { lastHourHitRates, readHitRates } from './reads';
import { describeSampling } from './sampling';
import { readSampling, saveChangedFlags, saveSettings } from './state';

let test: TestContext;
let users: UserOfEachRole;
let runner: Runner | null = null;

beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  await test.empty();
  users = await userOfEachRole();
  await test.redis.config('SET', 'notify-keyspace-events', 'Kg');
});
afterEach(async () => {
  await runner?.close();
  runner = null;
  await closeQueue();
  closeConnections();
});
afterAll(() => test.close());

const flags = async (): Promise<string> =>
  ((await test.redis.config('GET', 'notify-keyspace-events')) as string[])[1]!;

const run = (command: Command, raw: unknown, role: keyof UserOfEachRole = 'product', handle = test.handle) =>
  runCommand(command, { actor: users[role], requestId: randomUUID(), connection: handle, raw });

const setTo = (raw: object, ...more: [role?: keyof UserOfEachRole, handle?: typeof test.handle]) =>
  run(setSampling as unknown as Command, raw, ...more);

/** A probe whose server always answers in the same time by default. */
const probe = (measure = async () => 0.1, handle = test.handle) =>
  new HitRateProbe(handle, store(), { measure: async () => exactly(await measure()), retryMs: 1 });

/** Whether a window is open on the server. */
const isOpen = async (): Promise<boolean> => Number(await test.redis.pubsub('NUMPAT')) > 0;

const going = new AbortController().signal;

/** Lists sessions in the middle of a window, which then ends. */
const openOwnPages = async (end: AbortController) => {
  const pages = { listed: [] as unknown[], measure: async () => 0.1 };
  let opened = false;
  pages.measure = async () => {
    if (opened || !(await isOpen())) return 0.1;
    opened = true;
    const { items } = await listSessions(test.ctx, sessionContracts.list.input.parse({}));
    pages.listed = items;
    end.abort();
    return 0.1;
  };
  return pages;
};

describe('consent', () => {
  it('is given with the exact value, compared, recorded and withdrawn', { tags: ['long'] }, async () => {
    expect(await describeSampling(test.ctx)).toMatchObject({
      on: false,
      present: 'gK',
      proposed: 'gKEm',
      needsConsent: true,
      origin: 'default',
      monitor: { allowed: true },
      configSet: { allowed: true },
      subscribe: { allowed: true },
    });
    await expect(setTo({ on: true })).rejects.toMatchObject({
      status: 409,
      extensions: { present: 'gK', proposed: 'gKEm' },
    });
    await expect(setTo({ on: true, present: '' })).rejects.toMatchObject({
      status: 412,
      extensions: { present: 'gK' },
    });
    const agreed = await setTo({ on: true, present: 'gK', everySeconds: 50, forSeconds: 0.2 });
    expect(agreed).toMatchObject({ state: { on: true, needsConsent: false, consent: { present: 'gK' } } });
    // Nothing is merged in while no window is open.
    expect(await flags()).toBe('gK');
    const entry = await findEntry(store(), String((agreed as { auditId: string }).auditId));
    expect(entry).toMatchObject({ outcome: 'succeeded', after: { on: true, flags: 'gKEm' } });

    expect(await probe().tick(going)).toBe(true);
    expect((await describeSampling(test.ctx)).lastWindow).not.toBeNull();
    expect(await flags()).toBe('gK');

    await test.redis.config('SET', 'notify-keyspace-events', 'KEA');
    expect(await describeSampling(test.ctx)).toMatchObject({ needsConsent: true });
    expect(await probe().tick(going, () => Date.now() + 60_000)).toBe(true);
    expect((await describeSampling(test.ctx)).stoppedBecause).toContain('nobody agreed');
    expect(await flags()).toBe('AKE');

    await setTo({ on: false });
    expect(await describeSampling(test.ctx)).toMatchObject({
      on: false,
      consent: null,
      stoppedBecause: null,
    });
    expect(await probe().tick(going, () => Date.now() + 120_000)).toBe(false);
  });

  it('needs the permission, and at most 2 % of the time', async () => {
    for (const role of ['viewer', 'support'] as const)
      await expect(setTo({ on: true, present: 'gK' }, role)).rejects.toMatchObject({ status: 403 });
    const { items } = await listEntries(store(), { limit: 5, action: 'hitRates.sampling.set' } as never);
    expect(items.length).toBe(2);
    // Also together with what stays in force.
    await saveSettings(store(), 'main', { on: false, everySeconds: 5, forSeconds: 0.1 }, null);
    await expect(setTo({ on: true, present: 'gK', forSeconds: 1.2 })).rejects.toMatchObject({ status: 400 });
    await expect(setTo({ on: true, present: 'gK', everySeconds: 10, forSeconds: 1 })).rejects.toMatchObject({
      status: 400,
      extensions: { errors: [{ path: 'forSeconds' }] },
    });
  });
});

describe('flags', () => {
  it('are merged in for a window and restored, also after a crash', { tags: ['long'] }, async () => {
    await setTo({ on: true, present: 'gK', everySeconds: 50, forSeconds: 0.2 });
    let during = '';
    const watching = async () => {
      during ||= (await readSampling(store(), 'main')).toRestore.length > 0 ? await flags() : '';
      return 0.1;
    };
    await probe(watching).tick(going);
    expect(during).toBe('gKEm');
    expect(await flags()).toBe('gK');
    expect((await readSampling(store(), 'main')).toRestore).toEqual([]);

    // As a process leaves it that dies in the middle of a window.
    await saveChangedFlags(store(), 'main', {
      node: 'main',
      before: 'gK',
      during: 'gKEm',
      since: Date.now(),
    });
    await test.redis.config('SET', 'notify-keyspace-events', 'gKEm');
    await setTo({ on: false });
    expect(await flags()).toBe('gK');

    await saveChangedFlags(store(), 'main', {
      node: 'main',
      before: 'gK',
      during: 'gKEm',
      since: Date.now(),
    });
    await test.redis.config('SET', 'notify-keyspace-events', 'gKEm');
    await probe().tick(going);
    expect([await flags(), (await readSampling(store(), 'main')).toRestore]).toEqual(['gK', []]);
  });

  it('that an earlier version of the console left changed are restored after the upgrade', async () => {
    const left = { node: 'main', before: 'gK', during: 'gKEm', since: Date.now() };
    const field = `put${'Back'}:main`;
    const key = consoleFamilies.sampling.key({ connection: 'main' });
    await test.storeRedis.hset(key, field, JSON.stringify(left));
    await test.redis.config('SET', 'notify-keyspace-events', 'gKEm');
    await probe().tick(going);
    expect([await flags(), await test.storeRedis.hexists(key, field)]).toEqual(['gK', 0]);
  });

  it('that somebody else set are kept, also while a window is open', async () => {
    await saveChangedFlags(store(), 'main', {
      node: 'main',
      before: 'gK',
      during: 'gKEm',
      since: Date.now(),
    });
    await test.redis.config('SET', 'notify-keyspace-events', 'KEA');
    // Flags are the server's: a window of another connection to it counts as well.
    const other = { ...test.handle, config: { ...test.handle.config, id: 'other' } };
    await withMonitorLease(store(), other, 1000, async () => {
      await restoreLeftFlags(test.handle, store());
      expect((await readSampling(store(), 'main')).toRestore).toHaveLength(1);
      expect(await withMonitorLease(store(), test.handle, 1000, async () => expect.fail())).toEqual({
        ok: false,
      });
      expect(await isWindowOpen(store(), test.handle)).toBe(true);
    });
    await restoreLeftFlags(test.handle, store());
    expect([await flags(), (await readSampling(store(), 'main')).toRestore]).toEqual(['AKE', []]);
  });

  it('that somebody removes during a window make it fail', { tags: ['long'] }, async () => {
    await setTo({ on: true, present: 'gK', everySeconds: 50, forSeconds: 0.3 });
    const taking = async () => {
      if ((await flags()) === 'gKEm') await test.redis.config('SET', 'notify-keyspace-events', 'K');
      return 0.1;
    };
    await probe(taking).tick(going);
    expect((await describeSampling(test.ctx)).stoppedBecause).toContain('Somebody changed');
    expect(await flags()).toBe('K');
  });
});

describe('the question', () => {
  const undecided = { hitRates: undefined };
  const contextOf = (change: Partial<typeof test.handle.config>) => {
    const handle = openConnection({ ...test.handle.config, ...undecided, ...change });
    return { handle, ctx: { ...test.ctx, connection: handle, reader: handle.reader } };
  };

  it('is not asked where nothing has to change: windows are on from the start, until a user turns them off', {
    tags: 'long',
  }, async () => {
    await test.redis.config('SET', 'notify-keyspace-events', 'Em');
    expect(await describeSampling(test.ctx)).toMatchObject({ on: true, origin: 'default', question: null });
    await test.redis.config('RESETSTAT');
    expect(await probe().tick(going)).toBe(true);
    expect(await test.redis.info('commandstats')).not.toContain('cmdstat_config|set');
    expect((await readSampling(store(), 'main')).last).not.toBeNull();
    await setTo({ on: false });
    expect(await describeSampling(test.ctx)).toMatchObject({ on: false, origin: 'user', question: null });
    expect(await probe().tick(going, () => Date.now() + 60_000)).toBe(false);
  });

  it('is open where the server must change, says what and at which cost, until it is answered either way', async () => {
    expect(await describeSampling(test.ctx)).toMatchObject({
      on: false,
      question: {
        because: ['change'],
        changes: [
          {
            setting: 'notify-keyspace-events',
            present: 'gK',
            during: 'gKEm',
            after: 'gK',
          },
        ],
        cost: { forSeconds: 1, everySeconds: 60, shareOfTime: 1 / 60, maxAddedLatencyMs: 1 },
      },
    });
    expect(await probe().tick(going)).toBe(false);
    expect(await readSampling(store(), 'main')).toMatchObject({ last: null, stoppedBecause: null });
    await setTo({ on: false, reason: 'not now' });
    expect(await describeSampling(test.ctx)).toMatchObject({ on: false, origin: 'user', question: null });
    await setTo({ on: true, present: 'gK' });
    expect(await describeSampling(test.ctx)).toMatchObject({ on: true, question: null });
    // Somebody changes the value that was agreed to: it is another question.
    await test.redis.config('SET', 'notify-keyspace-events', 'Kx');
    expect(await describeSampling(test.ctx)).toMatchObject({
      question: { because: ['change'], changes: [{ present: 'xK' }] },
    });
  });

  it('is open on production although nothing has to change, and its answer is on record', {
    tags: 'long',
  }, async () => {
    await test.redis.config('SET', 'notify-keyspace-events', 'Em');
    const { handle, ctx } = contextOf({ environment: 'production' });
    expect(await describeSampling(ctx)).toMatchObject({
      on: false,
      question: { because: ['production'], changes: [] },
    });
    expect(await probe(undefined, handle).tick(going)).toBe(false);
    const { auditId } = (await setTo({ on: true }, 'admin', handle)) as { auditId: string };
    expect(await findEntry(store(), auditId)).toMatchObject({ outcome: 'succeeded', after: { on: true } });
    expect(await describeSampling(ctx)).toMatchObject({ on: true, question: null });
    expect(await probe(undefined, handle).tick(going)).toBe(true);
    handle.topology.close();
  });

  it('is not asked where the file decided, nor where no answer could be carried through', async () => {
    const off = contextOf({ hitRates: { sample: 'off' } });
    expect(await describeSampling(off.ctx)).toMatchObject({
      on: false,
      origin: 'configuration',
      question: null,
    });
    const readOnly = contextOf({ readOnly: true });
    expect(await describeSampling(readOnly.ctx)).toMatchObject({ on: false, question: null });
    await test.redis.call('ACL', 'SETUSER', 'watcher', 'on', '>pw', '~*', '&*', '+@all', '-monitor');
    await test.redis.config('SET', 'notify-keyspace-events', 'Em');
    const url = test.handle.config.url!.replace('redis://', 'redis://watcher:pw@');
    const refused = contextOf({ url });
    expect(await describeSampling(refused.ctx)).toMatchObject({
      on: false,
      question: null,
      monitor: { allowed: false },
    });
    for (const { handle } of [off, readOnly, refused]) handle.topology.close();
  });
});

describe('the duty cycle', () => {
  const settings = { on: true, everySeconds: 50, forSeconds: 0.2 };

  it('is kept by the clock, over restarts and changes of leader', { tags: 'long' }, async () => {
    await test.redis.config('SET', 'notify-keyspace-events', 'Em');
    await saveSettings(store(), 'main', settings, null);
    let now = 1_800_000_000_000;
    const one = probe();
    expect(await one.tick(going, () => now)).toBe(true);
    now += 49_000;
    expect(await one.tick(going, () => now)).toBe(false);
    expect(await probe().tick(going, () => now)).toBe(false);
    now += 1000;
    expect(await one.tick(going, () => now)).toBe(true);
    const { last } = await readSampling(store(), 'main');
    expect(last?.at).toBe(now);
    expect(last!.seconds).toBeGreaterThan(0.19);
    expect(last!.seconds).toBeLessThan(settings.everySeconds * 0.02);
  });

  it('ends a window at once when answers come late, or the console stops', { tags: 'long' }, async () => {
    await test.redis.config('SET', 'notify-keyspace-events', 'Em');
    await saveSettings(store(), 'main', { ...settings, forSeconds: 60 }, null);
    await probe(async () => ((await isOpen()) ? 5 : 0.1)).tick(going);
    expect((await readSampling(store(), 'main')).last).toMatchObject({
      cutShort: expect.stringContaining('4.9 ms'),
    });
    let calls = 0;
    // Also what was merged in is restored when the console stops.
    await test.redis.config('SET', 'notify-keyspace-events', 'gK');
    const consent = { by: 'x', at: 0, auditId: 'x', presents: { main: 'gK' } };
    await saveSettings(store(), 'main', { ...settings, forSeconds: 60 }, consent);
    const stopping = new AbortController();
    const stop = async () => {
      if (++calls > 40) stopping.abort();
      return 0.1;
    };
    calls = 0;
    await probe(stop).tick(stopping.signal, () => Date.now() + 60_000);
    expect(await readSampling(store(), 'main')).toMatchObject({
      toRestore: [],
      last: { cutShort: 'it was cancelled' },
    });
    expect(await flags()).toBe('gK');
  });
});

describe('a window that is cut short', () => {
  const now = Date.now();
  const range = {
    from: new Date(now - 60_000).toISOString(),
    to: new Date(now + 600_000).toISOString(),
    stepSeconds: 60,
  };

  beforeEach(async () => {
    await test.redis.config('SET', 'notify-keyspace-events', 'Em');
    await saveSettings(store(), 'main', { on: true, everySeconds: 50, forSeconds: 0.8 }, null);
  });

  it('is followed by shorter ones, until all that was asked for is observed', { tags: 'long' }, async () => {
    let cut = false;
    let late = 0;
    const lateOnce = async () => {
      if (cut || !(await isOpen())) return 0.1;
      late += 1;
      if (late === 19) cut = true;
      return 5;
    };
    await probe(lateOnce).tick(going);
    const { windows } = await readHitRates(test.ctx, range);
    expect(windows).toMatchObject({ askedSeconds: 0.8, cutShort: 1, cuts: [{ why: 'late', count: 1 }] });
    expect(windows.taken).toBeGreaterThanOrEqual(2);
    expect(windows.seconds).toBeGreaterThan(0.69);
    const { last } = await readSampling(store(), 'main');
    expect(last).toMatchObject({ askedSeconds: 0.8, seconds: windows.seconds });
  });

  it('is not repeated endlessly', { tags: 'long' }, async () => {
    await probe(async () => ((await isOpen()) ? 400 : 0.1)).tick(going);
    const { windows } = await readHitRates(test.ctx, range);
    expect(windows).toMatchObject({
      taken: 4,
      askedSeconds: 0.8,
      cutShort: 4,
      cuts: [{ why: 'late', count: 4 }],
    });
    expect(windows.seconds).toBeLessThan(0.8);
  });
});

describe('a sample', () => {
  it('that ends early says so, and fails when it is of no use', { tags: 'long' }, async () => {
    await test.redis.config('SET', 'notify-keyspace-events', 'Em');
    registerJob(sampleJobWith({ retryMs: 1 }));
    runner = startRunner(store());
    const cut = { why: 'late', text: 'latency rose by 6.8 ms' } as const;
    const late = vi.spyOn(LatencyGuard.prototype, 'add').mockReturnValue(cut);
    try {
      const { jobId } = (await run(takeSample as unknown as Command, { seconds: 5 })) as { jobId: string };
      await vi.waitUntil(async () => (await readRecord(store(), jobId))?.finishedAt, { timeout: 20_000 });
      const record = (await readRecord(store(), jobId))!;
      expect(record).toMatchObject({
        state: 'failed',
        total: 5,
        error: expect.stringMatching(/^Stopped after 0(\.\d+)? s of 5 s: latency rose by 6\.8 ms\. /),
        result: { usable: false, askedSeconds: 5, cutWhy: 'late', families: [] },
      });
      expect(record.done).toBeLessThan(1);
      expect(record.result?.summary).toMatch(/^stopped after/);
    } finally {
      late.mockRestore();
    }
  });
});

describe('a sample beside an open window', () => {
  it('waits until that is closed', { tags: 'long' }, async () => {
    await test.redis.config('SET', 'notify-keyspace-events', 'Em');
    registerJob(sampleJob);
    runner = startRunner(store());
    let jobId = '';
    await withMonitorLease(store(), test.handle, 0, async () => {
      ({ jobId } = (await run(takeSample as unknown as Command, { seconds: 0.1 })) as { jobId: string });
      await vi.waitUntil(async () => (await readRecord(store(), jobId))?.state === 'running');
    });
    await vi.waitUntil(async () => (await readRecord(store(), jobId))?.finishedAt, { timeout: 10_000 });
    expect(await readRecord(store(), jobId)).toMatchObject({ state: 'done', error: null });
  });
});

describe('what a window counted', () => {
  it('is a job’s result, and then the history of families, with its source and error', {
    tags: 'long',
  }, async () => {
    await test.redis.mset('author:id:1', '{}', 'topic_shouts_1', '[]');
    registerJob(sampleJob);
    runner = startRunner(store());
    await expect(run(takeSample as unknown as Command, { seconds: 0.2 })).rejects.toMatchObject({
      status: 409,
    });
    const { jobId } = (await run(takeSample as unknown as Command, { seconds: 1.5, present: 'gK' })) as {
      jobId: string;
    };
    await vi.waitUntil(async () => (await flags()).includes('m'), { timeout: 10_000, interval: 5 });
    await vi.waitUntil(
      async () => {
        await test.redis.mget('author:id:1', 'author:id:2', 'topic_shouts_1', 'topic_shouts_2');
        return (await readRecord(store(), jobId))?.finishedAt !== null;
      },
      { timeout: 15_000, interval: 5 },
    );
    const record = await readRecord(store(), jobId);
    expect(record).toMatchObject({ state: 'done', error: null, total: 1.5 });
    expect(record!.done).toBeGreaterThan(1.3);
    expect(record!.result).toMatchObject({ usable: true, summary: expect.stringContaining('observed 1.5') });
    const { families, notAttributed } = record!.result as Record<string, { hits: number; misses: number }> & {
      families: { family: string; hits: number; misses: number; hitRate: number }[];
    };
    expect(notAttributed).toMatchObject({ hits: 0, misses: 0, reasons: [] });
    expect(families.map(({ family }) => family).sort()).toEqual([
      'discours.author-id',
      'discours.topic-shouts',
    ]);
    expect(families[0]).toMatchObject({ hitRate: 0.5 });
    expect(await flags()).toBe('gK');

    const now = Date.now();
    const range = {
      from: new Date(now - 60_000).toISOString(),
      to: new Date(now).toISOString(),
      stepSeconds: 60,
    };
    const read = await readHitRates(test.ctx, range);
    const row = read.families.find(({ family }) => family === 'discours.author-id')!;
    expect(row).toMatchObject({ source: 'sample', coverage: 1, hitRate: 0.5, cache: true });
    expect(row.n).toBe(row.hits + row.misses);
    expect(row.error).toBeGreaterThan(0);
    expect(row.originLoadPerSecond).toBe(row.missesPerSecond);
    expect(read.windows.taken).toBe(1);
    expect(read.instance.label).toBe('instance');
    expect(read.application).toBeNull();
    const present = await lastHourHitRates(store(), 'main', test.ctx.catalog, now);
    expect(present.get('discours.topic-shouts')?.hits).toBe(row.hits);
    await expect(readHitRates(test.ctx, { ...range, family: 'no.such' })).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('what the console itself reads in a window', () => {
  it('gives no figure for a family that only the console reads', async () => {
    await test.redis.config('SET', 'notify-keyspace-events', 'Em');
    await seedSession(test.redis, { userId: '7', indexed: false });
    await saveSettings(store(), 'main', { on: true, everySeconds: 50, forSeconds: 60 }, null);
    const end = new AbortController();
    const open = await openOwnPages(end);
    await probe(open.measure).tick(end.signal);
    expect(open.listed).toMatchObject([{ states: expect.arrayContaining(['unindexed']) }]);
    const now = Date.now();
    const range = { from: new Date(now - 60_000).toISOString(), to: new Date(now).toISOString() };
    const read = await readHitRates(test.ctx, { ...range, stepSeconds: 60 });
    expect(read.windows.taken).toBe(1);
    expect(read.families).toEqual([]);
    expect(read.notAttributed).toMatchObject({ hits: 0, misses: 0, reasons: [] });
  });
});

describe('a check of permissions', () => {
  // Redis 6 does not tell subcommands apart; that nothing is executed there is tested beside the capabilities.
  it.skipIf(IS_REDIS_6)('sends no CONFIG SET, not even one that fails', async () => {
    await test.redis.config('RESETSTAT');
    await describeSampling(test.ctx);
    const stats = await test.redis.info('commandstats');
    expect(stats).toContain('cmdstat_config|get');
    expect(stats).not.toContain('cmdstat_config|set');
  });

  it('tells whether CONFIG SET is permitted also where the user may not ask ACL', async () => {
    await test.redis.call('ACL', 'SETUSER', 'plain', 'on', '>pw', '~*', '&*', '+@all', '-acl');
    const { config } = test.handle;
    const handle = openConnection({ ...config, url: config.url!.replace('redis://', 'redis://plain:pw@') });
    const state = await describeSampling({ ...test.ctx, connection: handle, reader: handle.reader });
    expect(state.configSet).toEqual({ allowed: true, why: null });
    handle.topology.close();
  });
});

describe('a server that refuses', () => {
  it('says which of MONITOR and CONFIG, and the instance’s figure is left', { tags: ['long'] }, async () => {
    await test.redis.call(
      'ACL',
      'SETUSER',
      'managed',
      'on',
      '>pw',
      '~*',
      '&*',
      '+@all',
      '-monitor',
      '-config',
    );
    const { config } = test.handle;
    const handle = openConnection({ ...config, url: config.url!.replace('redis://', 'redis://managed:pw@') });
    const ctx = { ...test.ctx, connection: handle, reader: handle.reader };
    const state = await describeSampling(ctx);
    expect(state).toMatchObject({ present: null, proposed: null });
    expect(state.monitor).toMatchObject({ allowed: false, why: 'its user may not use MONITOR' });
    expect(state.configSet).toMatchObject({ allowed: false, why: 'its user may not use CONFIG SET' });
    expect(state.configGet.allowed).toBe(false);
    expect(state.subscribe.allowed).toBe(true);
    await expect(setTo({ on: true, present: '' }, 'product', handle)).rejects.toMatchObject({ status: 409 });
    await saveSettings(store(), 'main', { on: true, everySeconds: 50, forSeconds: 0.2 }, null);
    await probe(undefined, handle).tick(going);
    expect((await describeSampling(ctx)).stoppedBecause).toContain('does not permit');
    const now = Date.now();
    const read = await readHitRates(ctx, {
      from: new Date(now - 60_000).toISOString(),
      to: new Date(now).toISOString(),
      stepSeconds: 60,
    });
    expect(read).toMatchObject({ families: [], instance: { label: 'instance' } });
    handle.topology.close();
  });
});

describe('a read-only connection', () => {
  it('takes no part in it unless the flags are there already', { tags: ['long'] }, async () => {
    const handle = openConnection({ ...test.handle.config, readOnly: true });
    await expect(setTo({ on: true, present: 'gK' }, 'product', handle)).rejects.toMatchObject({
      status: 423,
    });
    await saveSettings(store(), 'main', { on: true, everySeconds: 50, forSeconds: 0.2 }, null);
    await probe(undefined, handle).tick(going);
    expect((await readSampling(store(), 'main')).stoppedBecause).toContain('read-only');
    expect(await flags()).toBe('gK');
    await test.redis.config('SET', 'notify-keyspace-events', 'KEmg');
    expect(await setTo({ on: true, everySeconds: 50, forSeconds: 0.2 }, 'product', handle)).toMatchObject({
      state: { on: true, needsConsent: false, consent: null },
    });
    await probe(undefined, handle).tick(going);
    expect(await readSampling(store(), 'main')).toMatchObject({
      stoppedBecause: null,
      last: { cutShort: null },
    });
    handle.topology.close();
  });
});
