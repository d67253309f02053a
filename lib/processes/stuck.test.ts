import { describe, expect, it } from 'vitest';
import { iso, MINUTE, SECOND } from '@/lib/time';
import { plainName, progressOf } from './named-values';
import type { Stage, StuckReason } from './schema';
import { judgeState } from './stuck';

const NOW = 1_800_000_000_000;
const values = (fields: Record<string, string>) =>
  new Map(Object.entries(fields).map(([name, value]) => [plainName(name), value]));

const judge = (fields: Record<string, string>, hasTtl = true) =>
  judgeState({ values: values(fields), ttl: { minSeconds: 60, maxSeconds: 3600 }, hasTtl, now: NOW });

const ago = (ms: number): string => String((NOW - ms) / SECOND);

describe('the stage of a process', () => {
  it.each<[Stage, Record<string, string>]>([
    ['running', { status: 'running' }],
    ['running', { State: 'IN_PROGRESS' }],
    ['running', { progress: '0.5' }],
    ['waiting', { status: 'pending' }],
    ['waiting', { phase: 'Queued' }],
    ['finished', { status: 'Completed' }],
    ['finished', { status: 'cancelled' }],
    ['finished', { progress: '100' }],
    ['finished', { status: 'x', finished_at: ago(1000) }],
    ['failed', { status: 'error' }],
    ['failed', { status: 'failed', progress: '1' }],
    ['unknown', { note: 'hello' }],
    ['unknown', {}],
    ['unknown', { status: '<script>' }],
    ['running', { status: 'fetching', processed: '5', total: '10' }],
    ['unknown', { status: 'fetching', processed: '10', total: '10' }],
    ...['ok', 'ready', 'expired', 'killed', 'rejected', 'выполняется', '运行中', 'x'].map(
      (status): [Stage, Record<string, string>] => ['unknown', { status }],
    ),
    // Of an earlier try.
    ['running', { status: 'running', failed_at: ago(9 * MINUTE), updated_at: ago(8 * MINUTE) }],
    ['unknown', { started_at: ago(MINUTE), finished_at: ago(2 * MINUTE) }],
    ['unknown', { failed_at: ago(9 * MINUTE), updated_at: ago(MINUTE) }],
    ['failed', { failed_at: ago(MINUTE) }],
    ['failed', { failed_at: ago(MINUTE), finished_at: ago(MINUTE) }],
    ['finished', { failed_at: ago(2 * MINUTE), finished_at: ago(MINUTE), started_at: ago(3 * MINUTE) }],
    ['finished', { finished_at: ago(MINUTE), updated_at: ago(MINUTE - SECOND) }],
    ['running', { progress: '1', total: '200' }],
  ])('is %s for %j', (stage, fields) => {
    expect(judge(fields).stage).toBe(stage);
  });
});

describe('the progress of a process', () => {
  it.each<[number | null, Record<string, string>]>([
    [0.4, { progress: '0.4' }],
    [0.4, { progress: '40' }],
    [0.4, { progress: '40 %' }],
    [0.4, { progress: '4/10' }],
    [0.25, { progress: '50', total: '200' }],
    [0.005, { progress: '1', total: '200' }],
    [0.5, { progress: '0.5', total: '200' }],
    [0.5, { done: 'false', processed: '5', total: '10' }],
    [0.5, { done: '5', total: 'many', totalCount: '10' }],
    [0.01, { percent: '1' }],
    [1, { progress: '1' }],
    [0.5, { done: '100', total: '200' }],
    [0.5, { processed: '1', total: '2', progress: '90' }],
    [0, { current: '0', total: '7' }],
    [null, { done: '3', total: '0' }],
    [null, { done: '30', total: '7' }],
    [null, { progress: '-1' }],
    [null, { progress: '101' }],
    [null, { progress: 'NaN' }],
    [null, { progress: '1e5' }],
    [null, { total: '5' }],
    [null, {}],
  ])('is %s for %j', (progress, fields) => {
    expect(progressOf(values(fields))).toBe(progress);
  });
});

describe('a process is stuck', () => {
  it.each<[StuckReason[], Record<string, string>, boolean]>([
    [[], { status: 'running', started_at: ago(10 * MINUTE), updated_at: ago(MINUTE) }, true],
    [['noTtl'], { status: 'running' }, false],
    [['noTtl'], { status: 'pending' }, false],
    [['noTtl'], {}, false],
    [['tooOld'], { status: 'running', startedAt: iso(NOW - 61 * MINUTE) }, true],
    [['notUpdated'], { status: 'running', last_heartbeat: ago(5 * MINUTE + SECOND) }, true],
    [[], { status: 'running', updated_at: ago(5 * MINUTE) }, true],
    [[], { status: 'paused', updated_at: ago(50 * MINUTE) }, true],
    [
      ['noTtl', 'tooOld', 'notUpdated'],
      { status: 'running', started_at: ago(120 * MINUTE), updated_at: `${NOW - 90 * MINUTE}` },
      false,
    ],
    [['notUpdated'], { status: 'running', failed_at: ago(90 * MINUTE), updated_at: ago(8 * MINUTE) }, true],
    [[], { status: 'ready', updated_at: ago(50 * MINUTE) }, true],
    [[], { updated_at: ago(50 * MINUTE) }, true],
    // Whatever else it says.
    [[], { status: 'done', started_at: ago(120 * MINUTE), updated_at: ago(90 * MINUTE) }, false],
    [[], { status: 'failed' }, false],
  ])('%j for %j, with a TTL: %s', (reasons, fields, hasTtl) => {
    expect(judge(fields, hasTtl).stuckReasons).toEqual(reasons);
  });

  it('by times that can be read only', () => {
    const known = judge({ status: 'running', started_at: ago(90 * SECOND), updated_at: ago(30 * SECOND) });
    expect(known).toMatchObject({ ageSeconds: 90, updatedSecondsAgo: 30 });
    for (const time of ['', 'yesterday', '57', ago(-10 * MINUTE), 'x'.repeat(500)]) {
      const unknown = judge({ status: 'running', started_at: time, updated_at: time });
      expect([time, unknown.ageSeconds, unknown.updatedSecondsAgo]).toEqual([time, null, null]);
    }
    // A clock that is a little ahead.
    expect(judge({ started_at: ago(-20 * SECOND) }).ageSeconds).toBe(0);
  });

  it('not without TTL where the catalog says that states stay', () => {
    const facts = { values: values({ status: 'running' }), hasTtl: false, now: NOW };
    for (const ttl of ['persistent', 'none'] as const)
      expect(judgeState({ ...facts, ttl }).stuckReasons).toEqual([]);
    expect(judgeState({ ...facts, ttl: 'any' }).stuckReasons).toEqual(['noTtl']);
  });
});
