import { screen, waitFor, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import Audit from '@/app/(console)/audit/page';
import { auditContracts } from '@/lib/audit/schema';
import { type Notification, notificationContracts } from '@/lib/notifications/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';
const NOW = new Date().toISOString();
const pager = { connection: 'demo', channel: 'c1', name: 'Pager', kind: 'webhook' as const };

const notification: Notification = {
  id: 'n1',
  name: 'Failures <i>',
  about: ['audit', 'approvals'],
  filter: { action: 'flags.set', outcome: 'failed' },
  remindAfterHours: 4,
  when: 'now',
  hour: 9,
  timeZone: 'UTC',
  skipEmpty: false,
  channels: [{ ...pager, failingSince: NOW, error: 'The receiver answered 503.' }],
  waiting: 2,
  createdBy: 'Test admin',
  changedAt: NOW,
  etag: 'e1',
};

const answer = (items: Notification[], followedAt: string | null = NOW) =>
  api.answer(notificationContracts.list, { items, nextCursor: null, channels: [pager], followedAt });

beforeEach(() => {
  const verified = { at: NOW, ok: true, entries: 1, firstBadId: null, problem: null };
  api.answer(auditContracts.status, { rows: 1, maxRows: 10, verified, alarm: null });
  api.answer(auditContracts.list, { items: [], nextCursor: null });
});

const open = () => renderAt('/audit?tab=notifications', <Audit />);

it('shows what is sent, when, and a channel that fails', async () => {
  answer([
    notification,
    { ...notification, id: 'n2', name: 'Daily', when: 'daily', timeZone: 'Europe/Berlin' },
  ]);
  open();
  const row = await rowWith('Failures <i>');
  expect(cellOf(row, 'About')).toBe('Audit entriesRequests that wait for approval');
  expect(cellOf(row, 'Sent')).toBe('At once');
  expect(cellOf(row, 'Channels')).toContain('The receiver answered 503.');
  expect(cellOf(row, 'Channels')).toContain('2 messages wait');
  expect(cellOf(await rowWith('Daily'), 'Sent')).toBe('Daily at 9:00, Europe/Berlin');
  expect(screen.queryByText('The audit log is not being read')).toBeNull();
});

it('warns that nobody reads the log', async () => {
  answer([notification], null);
  open();
  await screen.findByText('The audit log is not being read');
});

it('creates a daily digest, and tests it before', { tags: 'long' }, async () => {
  answer([]);
  api.answer(notificationContracts.test, {
    results: [{ ...pager, state: 'failed', status: 503, ms: 12, error: 'The receiver answered 503.' }],
    auditId: AUDIT_ID,
  });
  api.answer(notificationContracts.create, { id: 'n', etag: 'e', auditId: AUDIT_ID });
  const { user, fill } = open();
  await user.click(await screen.findByRole('button', { name: 'Create notification' }));
  const form = await screen.findByRole('dialog', { name: 'Create notification' });
  const submit = within(form).getByRole('button', { name: 'Create notification' });
  await fill(within(form).getByRole('textbox', { name: /^Name/ }), 'Ops');
  expect(submit).toHaveProperty('disabled', true);
  await user.click(within(form).getByRole('combobox', { name: 'Channels' }));
  await user.click(await screen.findByRole('option', { name: /^Pager/ }));
  await user.click(within(form).getByRole('checkbox', { name: 'Alarms of the audit chain' }));
  await user.click(within(form).getByRole('radio', { name: 'Daily digest' }));
  await user.click(within(form).getByRole('button', { name: 'Send a test' }));
  await within(form).findByText('Not delivered to Pager: The receiver answered 503.');
  const channels = [{ connection: 'demo', channel: 'c1' }];
  expect(api.asked(notificationContracts.test)[0]).toEqual({ name: 'Ops', channels });
  await user.click(submit);
  await waitFor(() => expect(api.asked(notificationContracts.create)).toHaveLength(1));
  expect(api.asked(notificationContracts.create)[0]).toMatchObject({
    name: 'Ops',
    about: ['audit', 'alarms'],
    filter: {},
    when: 'daily',
    hour: 9,
    remindAfterHours: null,
    channels,
  });
});

it('changes one as it was read, and shows a refusal at its field', { tags: ['long'] }, async () => {
  answer([notification]);
  api.refuse(notificationContracts.update, 'bad_input', 'channels: no', {
    extensions: { errors: [{ path: 'channels', message: 'A channel does not exist.' }] },
  });
  const { user } = open();
  await rowWith('Failures <i>');
  await user.click(screen.getByRole('button', { name: 'Actions for Failures <i>' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  const form = await screen.findByRole('dialog');
  await user.click(within(form).getByRole('button', { name: 'Save notification' }));
  await within(form).findAllByText(/A channel does not exist/);
  expect(api.asked(notificationContracts.update)[0]).toMatchObject({
    id: 'n1',
    etag: 'e1',
    filter: { action: 'flags.set', outcome: 'failed' },
    remindAfterHours: 4,
  });
  expect(textOf(form)).toContain('At most ten messages a minute');
});

it('deletes one', { tags: ['long'] }, async () => {
  answer([notification]);
  api.answer(notificationContracts.delete, { id: 'n1', auditId: AUDIT_ID });
  const { user } = open();
  await rowWith('Failures <i>');
  await user.click(screen.getByRole('button', { name: 'Actions for Failures <i>' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete notification' }));
  const drawer = await screen.findByRole('dialog');
  await user.click(within(drawer).getByRole('button', { name: 'Delete notification' }));
  await waitFor(() =>
    expect(api.asked(notificationContracts.delete)[0]).toMatchObject({ id: 'n1', etag: 'e1' }),
  );
});
