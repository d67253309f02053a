import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServerInfo } from '@/lib/redis/info';
import { type CarryOver, delta, type Reading, serverChange } from './delta';

const info = (change: Partial<ServerInfo> = {}): ServerInfo => ({
  runId: 'run',
  role: 'primary',
  replicas: [],
  product: 'redis',
  version: '7.0.0',
  uptimeSeconds: 1,
  hits: 0,
  misses: 0,
  commands: 0,
  evicted: 0,
  expired: 0,
  netInBytes: 0,
  netOutBytes: 0,
  usedMemoryBytes: 0,
  maxMemoryBytes: 0,
  maxMemoryPolicy: 'noeviction',
  aofEnabled: false,
  connectedClients: 1,
  keys: 0,
  keysWithTtl: 0,
  latencyMs: 1,
  ...change,
});

const read = (at: number, change: Partial<ServerInfo> = {}, own: Partial<Reading['own']> = {}): Reading => ({
  at,
  address: '127.0.0.1:6379',
  info: info(change),
  own: { ...none, ...own },
});

const none = { hits: 0, misses: 0, commands: 0 };
const nothing: CarryOver = { hits: 0, misses: 0 };

/** Buckets of a run of readings, carrying the carryOver as the probe does. */
const run = (readings: Reading[]) => {
  let carryOver = nothing;
  const buckets = readings.slice(1).flatMap((reading, i) => {
    const change = delta(readings[i]!, reading, carryOver);
    if (change.kind !== 'bucket') {
      carryOver = nothing;
      return [];
    }
    carryOver = change.carryOver;
    return [change.bucket];
  });
  return { buckets, carryOver };
};

const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0);
const step = fc.record({
  app: fc.nat(1000),
  own: fc.nat(1000),
  known: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe('what the applications did between two readings', () => {
  it('is the growth of the counters without our own traffic', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let [hits, own] = [0, 0];
        const readings = [read(0)];
        steps.forEach((each, i) => {
          hits += each.app + each.own;
          own += each.own;
          readings.push(read(i + 1, { hits, misses: hits }, { hits: own, misses: own }));
        });
        const { buckets, carryOver } = run(readings);
        expect(buckets.map((bucket) => bucket.hits)).toEqual(steps.map((each) => each.app));
        expect(buckets.map((bucket) => bucket.misses)).toEqual(steps.map((each) => each.app));
        expect(carryOver).toEqual(nothing);
      }),
    );
  });

  it('adds up exactly however late our own traffic is reported, and is never negative', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
        let [hits, own, known] = [0, 0, 0];
        const readings = [read(0)];
        steps.forEach((each, i) => {
          hits += each.app + each.own;
          own += each.own;
          // Reported late: any part of what is not known yet, all of it at the end.
          known += i === steps.length - 1 ? own - known : Math.floor((own - known) * each.known);
          readings.push(read(i + 1, { hits }, { hits: known }));
        });
        const { buckets, carryOver } = run(readings);
        for (const bucket of buckets) expect(bucket.hits).toBeGreaterThanOrEqual(0);
        expect(sum(buckets.map((bucket) => bucket.hits)) - carryOver.hits).toBe(
          sum(steps.map((each) => each.app)),
        );
      }),
    );
  });

  it('is never negative, whatever the two readings say', () => {
    const count = fc.nat(10_000);
    const any = fc.record({
      hits: count,
      misses: count,
      commands: count,
      evicted: count,
      expired: count,
      netInBytes: count,
      netOutBytes: count,
    });
    const owned = fc.record({ hits: count, misses: count, commands: count });
    fc.assert(
      fc.property(any, any, owned, owned, owned, (a, b, ownA, ownB, carryOver) => {
        const change = delta(read(1, a, ownA), read(2, b, ownB), carryOver);
        if (change.kind !== 'bucket') return;
        const { latencyMs: _, ...numbers } = change.bucket;
        for (const value of Object.values({ ...numbers, ...change.carryOver }))
          expect(value).toBeGreaterThanOrEqual(0);
        expect(change.bucket.hits).toBeLessThanOrEqual(b.hits - a.hits);
      }),
    );
  });

  it('starts over after CONFIG RESETSTAT, and knows a restart from a failover', () => {
    const before = read(0, { hits: 10, misses: 10, commands: 100 });
    const restarted = { runId: 'other', hits: 500, misses: 500, commands: 5000 };
    expect(serverChange(before, read(1, restarted))).toBe('restart');
    const older = { ...restarted, uptimeSeconds: 3600 };
    expect(serverChange(before, read(1, older))).toBe('failover');
    const elsewhere = { ...read(1, restarted), address: '127.0.0.1:6380' };
    expect(serverChange(before, elsewhere)).toBe('failover');
    const demoted = read(1, { hits: 10, misses: 10, commands: 100, role: 'replica' });
    expect(serverChange(before, demoted)).toBe('failover');
    for (const reset of [{ hits: 9 }, { misses: 9 }, { commands: 99 }]) {
      const after = read(1, { hits: 10, misses: 10, commands: 100, ...reset });
      expect(serverChange(before, after)).toBe('same');
      expect(delta(before, after, nothing)).toEqual({ kind: 'counters-reset' });
    }
  });
});
