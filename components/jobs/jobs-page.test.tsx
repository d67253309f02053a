import { screen, waitFor } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Jobs from '@/app/(console)/jobs/page';
import { type Job, jobContracts } from '@/lib/jobs/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';
import { rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const JOB = jobOf({ action: 'families.setTtl', target: 'discours.authored (id=5510001)', done: 1, total: 1 });

const serve = (): void => {
  api.answer(jobContracts.list, ({ connection, state }) => ({
    items: [JOB].filter(
      (job) => (!connection || job.connection === connection) && (!state || job.state === state),
    ),
    nextCursor: null,
  }));
  api.answer(jobContracts.get, JOB);
};

it('lists a job, and opens it by keyboard at its address', async () => {
  serve();
  const { user } = renderAt('/jobs?connection=demo&state=done', <Jobs />);
  const row = await rowWith('discours.authored (id=5510001)');
  expect(api.asked(jobContracts.list)[0]).toMatchObject({ connection: 'demo', state: 'done' });
  expect(textOf(row)).toContain('Set TTL of keys');
  expect(textOf(row)).toContain('1 of 1');
  await user.keyboard('j{Enter}');
  expect(window.location.search).toContain(`job=${JOB_ID}`);
  const entry = await screen.findByRole('link', { name: 'Audit entry' });
  expect(entry.getAttribute('href')).toBe('/audit?entry=audit-of-the-job');
});

it('narrows the list by connection, in the address', { tags: ['long'] }, async () => {
  serve();
  const { user } = renderAt('/jobs?state=failed', <Jobs />);
  await screen.findByText('Nothing matches these filters.');
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await rowWith('discours.authored (id=5510001)');
  await user.click(screen.getByRole('combobox', { name: 'Connection' }));
  await user.click(await screen.findByRole('option', { name: 'Demo' }));
  await waitFor(() => expect(window.location.search).toBe('?connection=demo'));
  await waitFor(() => expect(api.asked(jobContracts.list).at(-1)).toMatchObject({ connection: 'demo' }));
});

it('reports a job as not found to users who may not see it', async () => {
  serve();
  api.refuse(jobContracts.get, 'not_found', 'The job was not found.');
  renderAt(`/jobs?job=${JOB_ID}`, <Jobs />, { role: 'viewer' });
  expect(textOf(await screen.findByRole('alert'))).toContain('was not found');
});

it('leads from a check of relations to its result', async () => {
  const check = jobOf({
    action: 'entities.check',
    target: 'social.user',
    result: { checked: 40, dangling: 3 },
  });
  api.answer(jobContracts.list, { items: [check], nextCursor: null });
  api.answer(jobContracts.get, check);
  renderAt(`/jobs?job=${JOB_ID}`, <Jobs />);
  const link = await screen.findByRole('link', { name: 'Result of the check' });
  expect(link.getAttribute('href')).toBe(`/demo/entities?tab=check&job=${JOB_ID}`);
  expect(textOf(link.closest('[role=dialog]'))).toContain('Dangling references3');
});

const RUNNING = { state: 'running', finishedAt: null, mayCancel: true, isPaced: true } as const;

it('lets a running job run faster once that is confirmed, and at the default pace at once', {
  tags: ['long'],
}, async () => {
  const answer = (pace: 'default' | 'faster') => {
    const job = jobOf({ ...RUNNING, pace });
    api.answer(jobContracts.list, { items: [job], nextCursor: null });
    api.answer(jobContracts.get, job);
  };
  answer('default');
  api.answer(jobContracts.setPace, ({ jobId, pace }) => {
    answer(pace);
    return { jobId, pace, state: 'running' as const, auditId: 'audit-of-the-pace' };
  });
  const { user } = renderAt(`/jobs?job=${JOB_ID}`, <Jobs />);
  await user.click(await screen.findByRole('switch', { name: /^Run faster/ }));
  const question = await screen.findByRole('group', { name: 'Run this job faster?' });
  expect(textOf(question)).toContain('a few milliseconds longer');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Run faster' }));
  expect(api.asked(jobContracts.setPace)).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Run faster' }));
  const faster = await screen.findByRole('switch', { name: /^Run faster/, checked: true });
  expect(document.activeElement).toBe(faster);
  await user.click(faster);
  await screen.findByRole('switch', { name: /^Run faster/, checked: false });
  expect(api.asked(jobContracts.setPace).map(({ pace }) => pace)).toEqual(['faster', 'default']);
});

it.each([
  ['finished', { ...RUNNING, state: 'done', finishedAt: new Date().toISOString(), mayCancel: false }],
  ['started by others', { ...RUNNING, mayCancel: false }],
  ['without a pace', { ...RUNNING, isPaced: false }],
] as const)('offers no pace of a job that is %s', async (_, change) => {
  const job = jobOf(change);
  api.answer(jobContracts.list, { items: [job], nextCursor: null });
  api.answer(jobContracts.get, job);
  renderAt(`/jobs?job=${JOB_ID}`, <Jobs />);
  await screen.findByRole('progressbar');
  expect(screen.queryByRole('switch')).toBeNull();
});

it('says what replicas confirmed of a job, and what a failover made unsure', { tags: 'long' }, async () => {
  const fencing = { replicas: 2, why: null, failovers: 0, cameBack: 0, unknown: 0 };
  for (const [change, text] of [
    [{}, 'Confirmed by 2 replicas.'],
    [{ replicas: 0, why: 'none' }, 'Not confirmed by a replica: there was none at times.'],
    [{ replicas: 0 }, ''],
    [{ why: 'left' }, 'A replica left meanwhile and has not confirmed all changes.'],
    [
      { failovers: 1, cameBack: 312, unknown: 1 },
      'Confirmed by 2 replicas.One failover. 312 changes were made again on the new primary.One change is unsure: its reply was lost, or the key is another one on the new primary.',
    ],
  ] as const) {
    serve();
    api.answer(jobContracts.get, { ...JOB, fencing: { ...fencing, ...change } });
    const { unmount } = renderAt(`/jobs?job=${JOB_ID}`, <Jobs />);
    expect(textOf(await screen.findByTestId('job-fencing'))).toBe(text);
    unmount();
  }
});

it.each<[string, Partial<Job>, string]>([
  ['keys', { unit: 'keys', done: 1143, total: 7630, state: 'running' }, '1,143 of 7,630 keys'],
  ['one key', { unit: 'keys', done: 1, total: 1 }, '1 of 1 key'],
  ['an estimated total', { unit: 'sessions', done: 40, total: 60 }, '40 sessions'],
  ['an unknown total', { unit: 'tokens', done: 2, total: null, state: 'running' }, '2 tokens'],
  ['seconds', { unit: 'seconds', done: 2, total: 10, state: 'running' }, '2 of 10 s'],
  ['thousandths', { unit: 'share', done: 956, total: 1000, progress: 0.956, state: 'running' }, '95.6%'],
  ['all of a walk', { unit: 'share', done: 956, total: 1000, progress: 1 }, '100.0%'],
])('counts in units: %s', async (_, job, figures) => {
  serve();
  const isRunning = job.state === 'running';
  api.answer(jobContracts.get, jobOf({ ...job, ratePerSecond: 70, ...(isRunning && { finishedAt: null }) }));
  renderAt(`/jobs?job=${JOB_ID}`, <Jobs />);
  expect(textOf(await screen.findByTestId('job-figures'))).toBe(figures);
  const isCountable = job.unit !== 'share' && job.unit !== 'seconds';
  expect(screen.queryByText(/on average/) !== null).toBe(isCountable);
});
