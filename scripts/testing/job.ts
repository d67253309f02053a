import type { Job } from '@/lib/jobs/schema';

export const JOB_ID = '11111111-2222-4333-8444-555555555555';

/** A job as the server returns it; finished by default. */
export const jobOf = (change: Partial<Job> = {}): Job => ({
  jobId: JOB_ID,
  auditId: 'audit-of-the-job',
  action: 'sessions.revoke',
  connection: 'demo',
  target: 'a test',
  actor: 'Test admin',
  state: 'done',
  progress: 1,
  done: 3,
  total: 3,
  pending: 0,
  ratePerSecond: null,
  cancelling: false,
  pace: 'default',
  isPaced: false,
  result: {},
  error: null,
  fencing: null,
  createdAt: new Date(Date.now() - 5000).toISOString(),
  startedAt: new Date(Date.now() - 4000).toISOString(),
  finishedAt: new Date(Date.now() - 1000).toISOString(),
  mayCancel: false,
  undoUntil: null,
  ...change,
});

/** For a context without a runner: nothing must be repeated or confirmed. */
export const UNFENCED = { follows: async () => undefined, confirmed: async () => true };
