import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Approvals from '@/app/(console)/[connection]/approvals/page';
import Locks from '@/app/(console)/[connection]/locks/page';
import { type ApprovalRow, approvalContracts } from '@/lib/approvals/schema';
import type { Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { lockContracts } from '@/lib/locks/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { lockPage, lockRow } from '@/scripts/testing/lock-row';
import { renderAt } from '@/scripts/testing/render';
import { cellOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const NOW = new Date().toISOString();
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';

const row = (id: string, change: Partial<ApprovalRow> = {}): ApprovalRow => ({
  id,
  operation: 'sessions.revoke',
  target: `user ${id} (all sessions)`,
  by: 'sam@example.org',
  requestedAt: NOW,
  expiresAt: NOW,
  reason: 'ticket 7',
  state: 'pending',
  why: null,
  was: { count: 30, facts: { users: 1 } },
  input: { userId: id },
  own: false,
  mayDecide: true,
  ...change,
});

const list = (items: ApprovalRow[]): Result<typeof approvalContracts.list> => ({
  items,
  nextCursor: null,
  total: items.length,
  states: { pending: items.length, suspended: 0, executing: 0, inDoubt: 0, expired: 0 },
});
type Request = Result<typeof approvalContracts.get>;
const detail = (of: ApprovalRow, change: Partial<Request> = {}): Request => ({
  ...of,
  now: { count: 31, facts: { users: 2 } },
  obstacle: null,
  bound: 0.1,
  ...change,
});

const APPROVALS = { operations: ['locks.release'], limits: {} };
const open = (connection: object = {}) =>
  renderAt('/demo/approvals', <Approvals />, { connection: { approvals: APPROVALS, ...connection } });

it('offers approving to who may decide, and withdrawing to the requester', async () => {
  const suspended = row('8', { state: 'suspended', why: 'It would now touch 9 things.' });
  api.answer(approvalContracts.list, list([row('7'), row('9', { own: true, mayDecide: false }), suspended]));
  open();
  const decidable = await rowWith('user 7');
  expect(cellOf(decidable, 'Items')).toBe('30');
  const verbs = (of: HTMLElement) =>
    within(of)
      .getAllByRole('button')
      .map((button) => (button.getAttribute('aria-label') ?? '').split(' ')[0]);
  expect(verbs(decidable)).toEqual(['Approve', 'Decline']);
  expect(verbs(await rowWith('user 9'))).toEqual(['Withdraw']);
  expect(verbs(await rowWith('user 8'))).toEqual(['Decline']);
});

it('shows what a change would have touched and touches now, and approves it with its confirmation', {
  tags: ['long'],
}, async () => {
  api.answer(approvalContracts.list, list([row('7')]));
  api.answer(approvalContracts.get, detail(row('7')));
  api.answer(approvalContracts.approve, {
    ...row('7'),
    state: 'applied',
    now: { count: 31 },
    bound: 0.1,
    change: { auditId: AUDIT_ID, jobId: null, undoUntil: null },
    auditId: AUDIT_ID,
  });
  const { user, fill } = open({ environment: 'production' });
  await user.click(within(await rowWith('user 7')).getByRole('button', { name: /^Approve/ }));
  const drawer = within(await screen.findByRole('dialog'));
  const things = await waitFor(() => {
    const found = drawer.getByRole('row', { name: /Items/ });
    expect(within(found).getAllByRole('cell')).toHaveLength(2);
    expect(found.textContent).toBe('Items3031');
    return found;
  });
  expect(things).toBeTruthy();
  drawer.getByText(/differs by more than 10/);
  const verb = drawer.getByRole('button', { name: 'Approve' });
  expect(verb).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/Production: type/), 'demo');
  await user.click(verb);
  await screen.findByText(/^Approved: Revoke sessions/);
  expect(api.asked(approvalContracts.approve)).toEqual([{ id: '7', confirm: 'demo' }]);
});

it('says beforehand that an approval would suspend the request', { tags: ['long'] }, async () => {
  api.answer(approvalContracts.list, list([row('7')]));
  api.answer(approvalContracts.get, detail(row('7'), { obstacle: 'It would now touch 90 things.' }));
  const { user } = open();
  await user.click(within(await rowWith('user 7')).getByRole('button', { name: /^Approve/ }));
  await screen.findByText('It would now touch 90 things.');
});

it('declines with a reason only', { tags: ['long'] }, async () => {
  api.answer(approvalContracts.list, list([row('7')]));
  api.answer(approvalContracts.get, detail(row('7')));
  api.answer(approvalContracts.decline, { id: '7', auditId: AUDIT_ID });
  const { user, fill } = open();
  await user.click(within(await rowWith('user 7')).getByRole('button', { name: /^Decline/ }));
  const drawer = within(await screen.findByRole('dialog'));
  const verb = drawer.getByRole('button', { name: 'Decline' });
  expect(verb).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/Reason/), 'not now');
  await user.click(verb);
  await screen.findByText(/^Declined: Revoke sessions/);
  expect(api.asked(approvalContracts.decline)).toEqual([{ id: '7', reason: 'not now' }]);
});

it('asks for approval where a change is refused, with what was typed', { tags: ['long'] }, async () => {
  api.answer(lockContracts.list, lockPage([lockRow('lock:publish:12', { keyId: 'bG9jaw', etag: 'etag' })]));
  api.answer(lockContracts.release, () => {
    throw new Problem('approval_required', 'locks.release needs approval.', {
      extensions: { operation: 'locks.release', rule: 'locks.release', limit: null, askable: true },
    });
  });
  api.answer(approvalContracts.request, { request: row('7'), auditId: AUDIT_ID });
  const { user, fill } = renderAt('/demo/locks', <Locks />, { connection: { approvals: APPROVALS } });
  await user.click(within(await rowWith('lock:publish:12')).getByRole('button', { name: /^Release/ }));
  const drawer = within(await screen.findByRole('dialog'));
  drawer.getByText(/needs approval by a second user/);
  await fill(drawer.getByLabelText('Reason'), 'The worker died');
  await user.click(drawer.getByRole('button', { name: 'Release lock' }));
  await user.click(await drawer.findByRole('button', { name: 'Ask for approval' }));
  await drawer.findByText('Approval requested');
  expect(drawer.getByRole('link', { name: 'Approvals' }).getAttribute('href')).toBe('/demo/approvals');
  expect(api.asked(approvalContracts.request)).toEqual([
    {
      operation: 'locks.release',
      input: { keyId: 'bG9jaw', etag: 'etag', reason: 'The worker died' },
      reason: 'The worker died',
    },
  ]);
});
