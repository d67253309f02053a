import { expect, it } from 'vitest';
import { registerJob } from './define';
import { type JobRecord, toJob } from './record';

const record = (change: Partial<JobRecord>): JobRecord =>
  ({
    jobId: 'a',
    auditId: 'b',
    action: 'test.unit',
    connection: 'demo',
    target: '',
    state: 'running',
    actor: { kind: 'user', id: 'u', name: 'U', email: 'u@example.org', role: 'admin' },
    pending: 0,
    createdAt: 0,
    startedAt: 0,
    finishedAt: null,
    done: 0,
    total: null,
    result: null,
    error: null,
    ...change,
  }) as JobRecord;

it('gives a part that is never more than its whole, whatever a scan counted twice', () => {
  expect(toJob(record({ done: 9000, total: 8995 }), 1000, true)).toMatchObject({
    done: 9000,
    total: 9000,
    progress: 1,
    unit: 'keys',
  });
  expect(toJob(record({ done: 5, total: null }), 1000, true)).toMatchObject({ total: null, progress: 0 });
  expect(toJob(record({ done: 5, total: 10 }), 1000, true)).toMatchObject({ total: 10, progress: 0.5 });
});

it('has the unit of its definition', () => {
  registerJob({ action: 'test.unit', unit: 'share' } as Parameters<typeof registerJob>[0]);
  expect(toJob(record({ done: 956, total: 1000 }), 1000, true).unit).toBe('share');
});
