import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Profiler from '@/app/(console)/[connection]/profiler/page';
import { familyContracts } from '@/lib/families/schema';
import { type Job, jobContracts } from '@/lib/jobs/schema';
import { type Profile, profilerContracts } from '@/lib/profiler/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowWith } from '@/scripts/testing/table';
import type { Estimate } from './cost-facts';

const api = fakeApi();

const ESTIMATE: Estimate = {
  seconds: 10,
  commandsPerSecond: 1200,
  statedShare: 0.031,
  expectedCoverage: 1,
  maxSeconds: 60,
  maxShare: 0.05,
  maxAddedLatencyMs: 1,
  monitor: { allowed: true, why: null },
  running: false,
};

const counts = (calls: number) => ({ calls, perSecond: calls / 10, share: calls / 100 });
const AT = new Date().toISOString();

const PROFILE: Profile = {
  summary: '100 calls in 10 s',
  filter: {},
  askedSeconds: 10,
  elapsedSeconds: 10,
  observedSeconds: 9.5,
  observedShare: 0.95,
  ended: { why: 'complete', text: null },
  startedAt: AT,
  calls: 100,
  allCalls: 120,
  ownCalls: 7,
  inScripts: 3,
  commandsPerSecond: 10.5,
  cost: {
    statedShare: 0.05,
    estimatedShare: 0.02,
    measuredShare: 0.011,
    exceeded: false,
    receivedBytes: 5000,
  },
  points: [
    { second: 0, perSecond: 12 },
    { second: 1, perSecond: null },
    { second: 2, perSecond: 9 },
  ],
  families: [
    { family: 'press.article', title: 'Article', ...counts(60) },
    { family: 'unclassified', title: null, ...counts(30) },
    { family: 'unknown', title: null, ...counts(2) },
    { family: null, title: null, ...counts(8) },
  ],
  commands: [
    { command: 'GET', ...counts(90), serverCalls: 95, microsPerCall: 1500, serverShare: 0.02 },
    { command: 'PING', ...counts(5), serverCalls: 5, microsPerCall: 2, serverShare: 0 },
    { command: null, ...counts(5), serverCalls: null, microsPerCall: null, serverShare: null },
  ],
  clients: [{ client: 'worker', connections: 2, ...counts(100) }],
  users: [{ user: null, ...counts(100) }],
  patterns: [
    {
      pattern: 'article:{id}',
      family: 'press.article',
      ...counts(60),
      estimatedMicros: 90_000,
      slowestMicros: null,
    },
  ],
  slow: null,
  sample: [
    {
      at: AT,
      client: 'worker',
      user: 'app',
      command: 'GET',
      arguments: 'article:7',
      families: ['press.article'],
    },
    { at: AT, client: 'worker', user: 'app', command: 'SET', arguments: 'shop:1 •••', families: [] },
  ],
  notShown: { families: 0, commands: 0, clients: 5, patterns: 0 },
  unknown: ['slowLog'],
};

const job = (change: Partial<Job> = {}): Job =>
  jobOf({ action: profilerContracts.start.id, target: 'profile of 10 s', result: PROFILE, ...change });

const open = (search = '', jobs: Job[] = [job()], estimate = ESTIMATE) => {
  api.answer(profilerContracts.estimate, estimate);
  api.answer(jobContracts.list, { items: jobs, nextCursor: null });
  for (const started of jobs) api.answer(jobContracts.get, started);
  const counted = { unclassified: 0, malformed: 0, countedAt: null, overlaps: [] };
  api.answer(familyContracts.list, { items: [], nextCursor: null, ...counted });
  return renderAt(`/demo/profiler${search}`, <Profiler />, { role: 'product' });
};

it('shows what a profile saw and cost, with unknown as such', { tags: ['long'] }, async () => {
  const { user } = open();
  await user.click(within(await rowWith('100 calls in 10 s')).getByRole('button'));
  const article = await rowWith('Article');
  expect(within(article).getByRole('link').getAttribute('href')).toBe('/demo/families?family=press.article');
  expect([cellOf(article, 'Calls'), cellOf(article, 'Share')]).toEqual(['60', '60.0%']);
  await rowWith('Unclassified keys');
  await rowWith('Calls without a key');
  await rowWith('Calls whose keys are not known');
  const figures = textOf(screen.getByRole('region', { name: 'Figures of the profile' }));
  for (const text of ['9.5 s', '95.0% of 10 s', '1.1%', 'stated 5.0%', '3 inside scripts'])
    expect(figures).toContain(text);
  expect(screen.getByText('The slow log is refused.')).toBeTruthy();
  expect(api.asked(jobContracts.list)[0]).toMatchObject({ connection: 'demo', action: 'profiler.start' });

  await user.click(screen.getByRole('tab', { name: 'Commands' }));
  expect(cellOf(await rowWith('GET'), 'Average')).toBe('1.5 ms');
  expect(cellOf(await rowWith('PING'), 'Average')).toBe('2 µs');
  expect(cellOf(await rowWith('Unknown commands'), 'Average')).toBe('—');
  await user.click(screen.getByRole('tab', { name: 'Users' }));
  expect(cellOf(await rowWith('100'), 'User')).toBe('—');
  await user.click(screen.getByRole('tab', { name: 'Clients' }));
  expect(await screen.findByText('5 calls are in rows that are not listed')).toBeTruthy();
});

it('keeps the profile, the tab and the filter of the sample in the address', async () => {
  const { fill } = open(`?job=${JOB_ID}&tab=sample&q=article`);
  await rowWith('GET article:7');
  expect(screen.queryByText('SET shop:1 •••')).toBeNull();
  await fill(screen.getByRole('searchbox', { name: 'Search the sample' }), 'shop');
  await rowWith('SET shop:1 •••');
  await waitFor(() => expect(window.location.search).toContain('q=shop'));
});

it('starts only with consent, and then shows the job', { tags: ['long'] }, async () => {
  const { user } = open('', []);
  api.answer(profilerContracts.start, { jobId: JOB_ID, auditId: JOB_ID });
  // The button waits for the estimate.
  await screen.findByText(/at most 3.1%/);
  await user.click(screen.getByRole('button', { name: 'New profile' }));
  const drawer = await screen.findByRole('dialog', { name: 'New profile' });
  expect(textOf(drawer)).toContain('at most 3.1%');
  const begin = within(drawer).getByRole('button', { name: 'Profile for 10 seconds' });
  expect(begin).toHaveProperty('disabled', true);
  await user.type(within(drawer).getByLabelText('Command'), 'GET');
  await user.click(within(drawer).getByRole('checkbox'));
  api.answer(jobContracts.get, job({ state: 'running', finishedAt: null, result: null, done: 2, total: 10 }));
  await user.click(begin);
  await waitFor(() =>
    expect(api.asked(profilerContracts.start)).toEqual([
      { seconds: 10, filter: { command: 'GET' }, maxShare: 0.031, consent: true },
    ]),
  );
  await waitFor(() => expect(window.location.search).toContain(`job=${JOB_ID}`));
  expect((await screen.findByTestId('job-figures')).textContent).toContain('2 of 10');
});

it.each([
  [{ monitor: { allowed: false, why: 'NOPERM' } }, 'may not run MONITOR'],
  [{ running: true }, 'is under way'],
])('offers none where there cannot be one: %j', async (change, text) => {
  open('', [], { ...ESTIMATE, ...change });
  expect(await screen.findByText(new RegExp(text))).toBeTruthy();
  expect(screen.getByRole('button', { name: 'New profile' })).toHaveProperty('disabled', true);
});

it('asks for no more than was agreed to, though the load grew meanwhile', { tags: ['long'] }, async () => {
  const { user } = open('', []);
  api.refuse(profilerContracts.start, 'conflict', 'A window stays open.');
  await screen.findByText(/at most 3.1%/);
  await user.click(screen.getByRole('button', { name: 'New profile' }));
  const drawer = await screen.findByRole('dialog', { name: 'New profile' });
  await user.click(within(drawer).getByRole('checkbox'));
  api.answer(profilerContracts.estimate, { ...ESTIMATE, statedShare: 0.05 });
  const begin = within(drawer).getByRole('button', { name: 'Profile for 10 seconds' });
  await user.click(begin);
  await within(drawer).findByText('A window stays open.');
  // A refusal reads the estimate again.
  await screen.findByText(/at most 5.0%/);
  expect(textOf(drawer)).toContain('at most 3.1%');
  await user.click(begin);
  const shares = () =>
    api.asked(profilerContracts.start).map((input) => (input as { maxShare: number }).maxShare);
  await waitFor(() => expect(shares()).toEqual([0.031, 0.031]));
});

it('says that it does not know what the server refuses, and that own calls are among the others', {
  tags: ['long'],
}, async () => {
  const unknown: Profile['unknown'] = ['keys', 'slowLog', 'own'];
  const refused = { families: null, commands: null, patterns: null, ownCalls: null, unknown };
  const { user } = open(`?job=${JOB_ID}`, [job({ result: { ...PROFILE, ...refused } })]);
  const figures = textOf(await screen.findByRole('region', { name: 'Figures of the profile' }));
  expect(figures).toContain('counted with the others');
  for (const name of ['Families', 'Commands', 'Patterns', 'Slow']) {
    await user.click(screen.getByRole('tab', { name }));
    expect(await screen.findByText('Not known')).toBeTruthy();
    expect(screen.queryByText('No calls')).toBeNull();
  }
});

it('says that a profile cost more than was stated', async () => {
  const cost = { ...PROFILE.cost, estimatedShare: null, measuredShare: null, exceeded: true };
  open(`?job=${JOB_ID}`, [job({ result: { ...PROFILE, cost, ownCalls: null } })]);
  expect(await screen.findByText('The profile cost more than was stated')).toBeTruthy();
  expect(textOf(screen.getByRole('region', { name: 'Figures of the profile' }))).toContain('estimated —');
});

it('says why a profile ended early', async () => {
  const result = { ...PROFILE, ended: { why: 'late' as const, text: 'latency rose by 3.0 ms' } };
  open(`?job=${JOB_ID}`, [job({ result })]);
  expect(await screen.findByText('latency rose by 3.0 ms')).toBeTruthy();
});
