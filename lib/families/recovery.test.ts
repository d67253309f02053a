import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Bucket } from '@/lib/history/bucket';
import { serverHistory } from '@/lib/history/server-history';
import { RESOLUTIONS, writeSpan as writeServerSpan } from '@/lib/history/spans';
import { writeSpan } from '@/lib/hit-rates/spans';
import { MINUTE, SECOND } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { readRecovery, startRecovery, updateRecoveries } from './recovery';
import { type Rate, recoveryProgress } from './recovery-progress';

const STEP = 10 * SECOND;
const rates = (from: number, values: readonly number[]): Rate[] =>
  values.map((perSecond, i) => ({ at: from + i * STEP, perSecond }));
const START = 30 * STEP;

describe('what follows', () => {
  const before = rates(0, Array(30).fill(10));
  const at = { startedAt: START, endedAt: START + STEP, now: START + 5 * MINUTE, stepMs: STEP };

  it('is a surge, its sum above normal, and the time until it is normal again', () => {
    const after = rates(START, [50, 90, 40, 11, 12, 10, 11]);
    expect(recoveryProgress([...before, ...after], at)).toEqual({
      state: 'normal',
      normalMissesPerSecond: 10,
      peakMissesPerSecond: 90,
      extraMisses: (40 + 80 + 30) * 10,
      normalAfterSeconds: 20,
      normalAt: new Date(START + 3 * STEP).toISOString(),
    });
  });

  it('is not over for one quiet moment, nor across a gap', () => {
    const after = rates(START, [50, 10, 60, 10, 10]);
    expect(recoveryProgress([...before, ...after], at).state).toBe('following');
    const gap = rates(START + 20 * STEP, [10, 10]);
    expect(recoveryProgress([...before, ...after, ...gap], at).state).toBe('following');
    expect(recoveryProgress([...before, ...after], { ...at, now: START + 60 * MINUTE }).state).toBe(
      'given-up',
    );
  });

  it('is immediate where misses did not rise', () => {
    const after = rates(START, [10, 11, 10, 9]);
    expect(recoveryProgress([...before, ...after], at)).toMatchObject({
      state: 'normal',
      normalAfterSeconds: 0,
      extraMisses: 0,
    });
  });

  it('is not judged by the step in which it happened, nor by one that is not over', () => {
    const after = rates(START, [10, 11, 10, 9]);
    for (const now of [START + STEP + 2 * SECOND, START + 4 * STEP - SECOND])
      expect(recoveryProgress([...before, ...after], { ...at, now }).state).toBe('following');
    expect(recoveryProgress([...before, ...after], { ...at, now: START + 4 * STEP }).state).toBe('normal');
  });

  it('is unknown where nothing was measured before', () => {
    const after = rates(START, [10, 11, 10, 9]);
    expect(recoveryProgress(after, { ...at, now: START + 60 * MINUTE })).toMatchObject({
      state: 'unknown',
      extraMisses: null,
    });
  });
});

describe('beside history', () => {
  let test: TestContext;
  beforeAll(async () => {
    test = await testContext();
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  const write = (at: number, misses: number) => {
    const zero = {
      hits: 0,
      commands: 0,
      evicted: 0,
      expired: 0,
      netInBytes: 0,
      netOutBytes: 0,
      usedMemoryBytes: 0,
    };
    const span: Bucket = { at, observedMs: STEP, misses, ...zero, connectedClients: 0, latencyMs: null };
    return writeServerSpan(serverHistory, test.ctx.store, 'main', { resolution: RESOLUTIONS[0], span });
  };

  it('is followed until it is over, and its result is stored', async () => {
    const now = Math.floor(Date.now() / STEP) * STEP;
    const startedAt = now - 10 * STEP;
    const auditId = randomUUID();
    for (let at = startedAt - 20 * STEP; at < startedAt; at += STEP) await write(at, 100);
    await startRecovery(test.ctx.store, {
      auditId,
      connection: 'main',
      families: ['discours.shouts'],
      startedAt,
      endedAt: startedAt + STEP,
    });
    await write(startedAt, 900);
    await updateRecoveries(test.ctx.store, now);
    expect(await readRecovery(test.ctx.store, 'main', auditId, now)).toMatchObject({
      state: 'following',
      peakMissesPerSecond: 90,
    });
    for (let at = startedAt + STEP; at < now; at += STEP) await write(at, 100);
    await updateRecoveries(test.ctx.store, now);
    const found = await readRecovery(test.ctx.store, 'main', auditId, now);
    expect(found).toMatchObject({
      state: 'normal',
      source: 'instance',
      families: ['discours.shouts'],
      normalMissesPerSecond: 10,
      peakMissesPerSecond: 90,
      extraMisses: 800,
      normalAfterSeconds: 0,
    });
    const writeSpans = async (source: 'sample' | 'counters') => {
      for (let i = 1; i <= 6; i++)
        await writeSpan(test.ctx.store, 'main', source, {
          at: startedAt - (7 - i) * MINUTE,
          seconds: 1,
          windows: 1,
          cutShort: 0,
          reasons: [],
          families: { 'discours.shouts': [5, 3, 1, 0, 0, 0] },
          total: [5, 3],
          left: [0, 0],
        });
    };
    const begun = { connection: 'main', families: ['discours.shouts'], startedAt, endedAt: startedAt + STEP };
    await startRecovery(test.ctx.store, { ...begun, auditId: '1' });
    // A window is a second of a minute: most surges lie between two.
    await writeSpans('sample');
    expect(await readRecovery(test.ctx.store, 'main', '1', now)).toMatchObject({ source: 'instance' });
    // What the application counts misses nothing.
    await writeSpans('counters');
    expect(await readRecovery(test.ctx.store, 'main', '1', now)).toMatchObject({
      state: 'following',
      source: 'families',
      normalMissesPerSecond: 3,
    });
    await startRecovery(test.ctx.store, { ...begun, auditId: '2', families: ['discours.topic-id'] });
    expect(await readRecovery(test.ctx.store, 'main', '2', now)).toMatchObject({ source: 'instance' });
    await test.storeRedis.del('keyward:recoveries');
    await test.storeRedis.del('keyward:history:main:10s');
    expect(await readRecovery(test.ctx.store, 'main', auditId, now + MINUTE)).toEqual(found);
    expect(await readRecovery(test.ctx.store, 'other', auditId, now)).toBeNull();
    expect(await test.storeRedis.zcard('keyward:recoveries')).toBe(0);
  });
});
