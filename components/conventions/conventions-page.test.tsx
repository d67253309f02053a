import { screen, waitFor, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import Conventions from '@/app/(console)/[connection]/conventions/page';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { conventionContracts, type FixResult } from '@/lib/conventions/schema';
import { jobContracts } from '@/lib/jobs/schema';
import type { Role } from '@/lib/permissions';
import { DAY, iso } from '@/lib/time';
import { reportOf, ruleOf, waiverOf } from '@/scripts/testing/conventions';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';

const api = fakeApi();
const FIX_JOB = '22222222-2222-4333-8444-555555555555';

const fixOf = (change: Partial<FixResult> = {}): FixResult => ({
  rule: 'name-case',
  dryRun: true,
  matched: 5,
  fixed: 3,
  conflicts: 1,
  skipped: 1,
  vanished: 0,
  remaining: null,
  undoUntil: null,
  sample: [{ key: 'User:1', keyId: 'VXNlcjox', detail: 'User:1 → user:1' }],
  skippedBecause: [{ reason: 'waived', keys: 1 }],
  ...change,
});

const history = [2, 1, 0].map((days) => ({
  at: iso(Date.now() - (3 - days) * DAY),
  score: 90 + days,
  counts: { 'name-case': 3 + days },
}));

beforeEach(() => {
  api.answer(conventionContracts.report, reportOf());
  api.answer(conventionContracts.history, { items: history, nextCursor: null });
});

const open = (search = '', role: Role = 'admin', connection: Partial<ConnectionFacts> = {}) =>
  renderAt(`/demo/conventions${search}`, <Conventions />, { role, connection });

const drawer = (name: string | RegExp) => screen.findByRole('dialog', { name });
const titles = async (): Promise<string[]> => {
  const table = await screen.findByRole('table', { name: 'Rules' });
  return within(table)
    .getAllByRole('button')
    .map(textOf)
    .filter((text) => text.startsWith('Title of'));
};

it('shows the score, the checklist with its reasons, and the rules that fail first', async () => {
  open();
  const list = within(await screen.findByRole('region', { name: 'Checklist' }));
  expect(textOf(await list.findByRole('button', { name: /^Item naming/ }))).toContain('4 violations');
  expect(textOf(list.getByRole('button', { name: /^Item connections/ }))).toBe(
    'Item connections Cannot be seen from hereNo permission for CLIENT LIST.',
  );
  expect(textOf(list.getByText('Score').parentElement)).toContain('91.5 / 100');
  expect(await titles()).toEqual([
    'Title of name-case',
    'Title of connection-limit',
    'Title of ttl-required',
    'Title of value-size',
  ]);
  const line = screen.getByText(/^Checked.*policy/);
  expect(textOf(line)).toContain(
    ': 1,000 keys in 4 s, using 1.2 s of server time · policy keyward.policy.yaml',
  );
});

it('filters by an item of the checklist and by the fields, in the address', { tags: ['long'] }, async () => {
  const { user } = open('?state=failed');
  await waitFor(async () => expect(await titles()).toEqual(['Title of name-case']));
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(window.location.search).toBe('');
  const item = screen.getByRole('button', { name: /^Item ttl/ });
  await user.click(item);
  expect(window.location.search).toBe('?item=ttl');
  expect(item.getAttribute('aria-pressed')).toBe('true');
  expect(await titles()).toEqual(['Title of ttl-required']);
  await user.click(item);
  await user.click(screen.getByRole('combobox', { name: 'Severity' }));
  await user.click(await screen.findByRole('option', { name: 'Warning' }));
  expect(window.location.search).toBe('?severity=warning');
  expect(await titles()).toEqual(['Title of connection-limit']);
});

it.each([
  ['admin', true, true, true],
  ['product', true, true, false],
  ['support', false, false, false],
  ['viewer', false, false, false],
] as const)('offers what a role may do: %s', { tags: ['long'] }, async (role, check, fix, waive) => {
  open('?rule=name-case', role);
  const rule = within(await drawer('Title of name-case'));
  await rule.findByText('Why of name-case');
  const has = (name: string) => rule.queryByRole('button', { name }) !== null;
  expect([has('Fix…'), has('Waive…'), has('End waiver…')]).toEqual([fix, waive, waive]);
  expect(screen.queryByRole('button', { name: 'Check now', hidden: true }) !== null).toBe(check);
  // Names of keys lead to their page only for who may see it.
  expect(rule.queryByRole('link', { name: 'User:1' }) !== null).toBe(role !== 'viewer');
  rule.getByText('User:1');
});

it('says of a rule what breaks it, by family, with waivers', { tags: ['long'] }, async () => {
  open('?rule=name-case');
  const rule = within(await drawer('Title of name-case'));
  rule.getByText('4 violations of 1,000 checked · 2 waived · +1 since yesterday');
  expect(textOf(rule.getByRole('region', { name: 'Violations by family' }))).toContain('shop.users');
  const waivers = within(rule.getByRole('region', { name: 'Waivers' }))
    .getAllByRole('listitem')
    .map(textOf);
  expect(waivers[0]).toMatch(/^shop.users Renamed with the next release.*liwei · ends .*added in Keyward/);
  expect(waivers[1]).toMatch(/^all keys Expired.*no longer applies · from the policy file$/);
  // What the policy file says is not ended here.
  expect(rule.getAllByRole('button', { name: 'End waiver…' })).toHaveLength(1);
});

it('says why a rule is unknown, and offers no fix', async () => {
  open('?rule=connection-limit');
  const rule = within(await drawer('Title of connection-limit'));
  expect(textOf(rule.getByText('No permission for CLIENT LIST.').closest('[role=group]'))).toBe(
    'Cannot be seen from hereNo permission for CLIENT LIST.',
  );
  expect(rule.queryByRole('button', { name: 'Fix…' })).toBeNull();
});

it('previews a fix, then runs it under a verb with the number, and shows the job', {
  tags: 'long',
}, async () => {
  const done = jobOf({ action: 'conventions.fix', result: fixOf() });
  api.answer(conventionContracts.fix, ({ dryRun }) => ({
    jobId: dryRun ? JOB_ID : FIX_JOB,
    auditId: 'audit',
  }));
  api.answer(jobContracts.get, ({ jobId }) =>
    jobId === JOB_ID
      ? done
      : { ...done, jobId, result: fixOf({ dryRun: false, remaining: 1, undoUntil: iso(Date.now() + DAY) }) },
  );
  const { user, fill } = open('?rule=name-case', 'product', { id: 'demo', environment: 'production' });
  await user.click(within(await drawer('Title of name-case')).getByRole('button', { name: 'Fix…' }));
  expect(window.location.search).toBe('?rule=name-case&do=fix');
  const form = within(await drawer('Fix: Title of name-case'));
  await user.click(form.getByRole('button', { name: 'Preview fix' }));
  const result = textOf(await form.findByTestId('fix-result'));
  expect(result).toContain('5 keys break this rule');
  expect(result).toContain('3 would be fixed');
  expect(result).toContain('1 skipped: waived');
  form.getByText('User:1 → user:1');
  const rename = form.getByRole('button', { name: 'Rename 3 keys' });
  // Production: only the change itself asks for its name, not the preview.
  expect(rename).toHaveProperty('disabled', true);
  await fill(form.getByRole('textbox', { name: /^Production: type demo/ }), 'demo');
  await fill(form.getByRole('textbox', { name: 'Reason' }), 'the convention');
  await user.click(rename);
  const job = within(await drawer('Job'));
  expect(textOf(await job.findByTestId('fix-result'))).toContain('1 violation is left');
  expect(window.location.search).toBe(`?rule=name-case&job=${FIX_JOB}`);
  expect(api.asked(conventionContracts.fix)).toEqual([
    { rule: 'name-case', dryRun: true, withoutUndo: false },
    { rule: 'name-case', dryRun: false, withoutUndo: false, reason: 'the convention', confirm: 'demo' },
  ]);
  // A later closing shows the rule again.
  await user.click(job.getByRole('button', { name: 'Close' }));
  await drawer('Title of name-case');
});

it('forgets a preview of another family, or with undo, and fixes without undo only as previewed', {
  tags: 'long',
}, async () => {
  api.answer(conventionContracts.fix, { jobId: JOB_ID, auditId: 'audit' });
  api.answer(jobContracts.get, jobOf({ result: fixOf({ fixed: 2 }) }));
  const { user } = open('?rule=name-case&do=fix');
  const form = within(await drawer('Fix: Title of name-case'));
  await user.click(form.getByRole('button', { name: 'Preview fix' }));
  await form.findByRole('button', { name: 'Rename 2 keys' });
  await user.click(form.getByRole('combobox', { name: 'Family' }));
  await user.click(await screen.findByRole('option', { name: 'shop.carts' }));
  expect(window.location.search).toContain('family=shop.carts');
  await user.click(await form.findByRole('button', { name: 'Preview fix' }));
  await form.findByRole('button', { name: 'Rename 2 keys' });
  await user.click(form.getByRole('checkbox', { name: /^Fix without undo/ }));
  await user.click(await form.findByRole('button', { name: 'Preview fix' }));
  await user.click(await form.findByRole('button', { name: 'Rename 2 keys' }));
  const asked = { rule: 'name-case', family: 'shop.carts', withoutUndo: true };
  await waitFor(() =>
    expect(api.asked(conventionContracts.fix).slice(-2)).toEqual([
      { ...asked, dryRun: true },
      { ...asked, dryRun: false },
    ]),
  );
});

it('offers another preview after one that failed or was cancelled', { tags: ['long'] }, async () => {
  api.answer(conventionContracts.fix, { jobId: JOB_ID, auditId: 'audit' });
  const failed = jobOf({ state: 'failed', result: null, error: 'The server is full.' });
  api.answer(jobContracts.get, failed);
  const { user } = open('?rule=name-case&do=fix');
  const form = within(await drawer('Fix: Title of name-case'));
  await user.click(form.getByRole('button', { name: 'Preview fix' }));
  await form.findByText('The server is full.');
  api.answer(conventionContracts.fix, { jobId: FIX_JOB, auditId: 'audit' });
  api.answer(jobContracts.get, jobOf({ jobId: FIX_JOB, result: fixOf() }));
  await user.click(await form.findByRole('button', { name: 'Preview fix' }));
  await form.findByRole('button', { name: 'Rename 3 keys' });
});

it('waives a family with a reason until a time in the future', { tags: 'long' }, async () => {
  api.answer(conventionContracts.waive, { id: 'w3', auditId: 'audit', undoUntil: null });
  const { user, fill } = open('?rule=name-case&do=waive');
  const form = within(await drawer('Waive: Title of name-case'));
  const verb = form.getByRole('button', { name: 'Waive rule' });
  await fill(form.getByRole('textbox', { name: 'Why' }), '  they leave in spring ');
  await fill(form.getByLabelText('Until'), '2020-01-01T10:00');
  form.getByText('Choose a time in the future.');
  expect(verb).toHaveProperty('disabled', true);
  await fill(form.getByLabelText('Until'), '2199-01-01T10:00');
  await user.click(form.getByRole('combobox', { name: 'Family' }));
  await user.click(await screen.findByRole('option', { name: 'shop.carts' }));
  await fill(form.getByRole('textbox', { name: 'Why' }), '   ');
  expect(verb).toHaveProperty('disabled', true);
  await fill(form.getByRole('textbox', { name: 'Why' }), '  they leave in spring ');
  await user.click(verb);
  await screen.findByText('Title of name-case is waived');
  expect(api.asked(conventionContracts.waive)).toEqual([
    {
      rule: 'name-case',
      family: 'shop.carts',
      why: 'they leave in spring',
      until: '2199-01-01T10:00:00.000Z',
    },
  ]);
});

it('ends a waiver of the console from the list of all', async () => {
  api.answer(conventionContracts.unwaive, { id: 'w1', auditId: 'audit', undoUntil: null });
  const { user } = open('?tab=policy');
  await user.click(await screen.findByRole('button', { name: 'End waiver…' }));
  await user.click(
    within(await drawer('End waiver: Title of name-case')).getByRole('button', { name: 'End waiver' }),
  );
  await screen.findByText('The waiver of Title of name-case has ended');
  expect(api.asked(conventionContracts.unwaive)).toEqual([{ id: 'w1' }]);
});

it('lists the problems of the policy file, and says what is in force meanwhile', async () => {
  const problem = { line: 3, column: 5, path: 'rules.naming', message: 'Unknown rule <b>naming</b>' };
  const policy = { file: 'keyward.policy.yaml', loadedAt: iso(Date.now() - DAY), problems: [problem] };
  api.answer(conventionContracts.report, reportOf({ policy }));
  open('?tab=policy');
  const table = within(await screen.findByRole('table', { name: 'Problems in keyward.policy.yaml' }));
  table.getByText('3:5');
  table.getByText('Unknown rule <b>naming</b>');
  screen.getByText(/^The file has problems. Its last good version/);
  expect(textOf(screen.getByText(/^Checked.*policy/))).toContain('1 problem in the policy file');
});

it('joins a check that is running already', { tags: ['long'] }, async () => {
  api.refuse(conventionContracts.check, 'conflict', 'This is being checked.', {
    extensions: { jobId: JOB_ID },
  });
  api.answer(jobContracts.get, jobOf({ state: 'running', finishedAt: null, progress: 0.5 }));
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Check now' }));
  await within(await drawer('Job')).findByRole('progressbar', { name: 'Progress of the job' });
  expect(window.location.search).toBe(`?job=${JOB_ID}`);
});

it('lists past checks with what they found, before the first one too', async () => {
  open('?tab=history');
  const table = within(await screen.findByRole('table', { name: 'Checks, newest first' }));
  expect(await table.findAllByText(/^Title of name-case \(\d\)$/)).toHaveLength(3);
  screen.getByRole('img', { name: 'Score of demo over time' });
});

it('says why there is no report, and tries again', { tags: ['long'] }, async () => {
  api.refuse(conventionContracts.report, 'not_found', 'There is no such connection.');
  const { user } = open();
  await screen.findByText('There is no such connection.');
  expect(screen.queryByRole('region', { name: 'Checklist' })).toBeNull();
  api.answer(conventionContracts.report, reportOf());
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByRole('region', { name: 'Checklist' });
});

it('says before the first check that nothing is known', { tags: ['long'] }, async () => {
  const rules = [
    ruleOf('name-case', { state: 'unknown', count: null, of: null, reason: 'Not checked yet.' }),
  ];
  api.answer(
    conventionContracts.report,
    reportOf({ at: null, score: null, walk: null, rules, waivers: [waiverOf()] }),
  );
  open();
  await screen.findByText(/^Not checked yet. Rules are checked/);
  expect(textOf((await screen.findByText('Score')).parentElement)).toBe('Score—Not checked yet');
  const items = within(screen.getByRole('region', { name: 'Checklist' })).getAllByRole('button');
  for (const item of items) expect(textOf(item)).toMatch(/Not checked yet$/);
});
