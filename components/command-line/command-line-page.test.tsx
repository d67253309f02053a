import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import CommandLine from '@/app/(console)/[connection]/command-line/page';
import { undoContract } from '@/lib/audit/schema';
import { commandLineContracts, type HistoryEntry, type Suggestion } from '@/lib/command-line/schema';
import type { Input, Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';

const api = fakeApi();
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';
const KEY = {
  key: 'author:id:7',
  keyId: 'YXV0aG9yOmlkOjc',
  family: 'Authors',
  type: 'string',
  ttlSeconds: null,
};

type Ran = Result<typeof commandLineContracts.run>;
const ran = (change: Partial<Ran>): Ran => ({
  dryRun: false,
  kind: 'read',
  line: 'GET author:id:7',
  type: 'string',
  truncated: false,
  auditId: null,
  reply: [{ depth: 0, type: 'string', text: 'Ada' }],
  family: 'Authors',
  keys: [],
  keyCount: 1,
  undo: 'read',
  etag: null,
  durationMs: 1.5,
  ...change,
});

const suggestion = (label: string, change: Partial<Suggestion> = {}): Suggestion => ({
  kind: 'command',
  text: `${label} `,
  label,
  summary: `What ${label} does.`,
  needs: null,
  refused: false,
  page: null,
  reason: null,
  ...change,
});

type Completion = Result<typeof commandLineContracts.complete>;
const completion = (change: Partial<Completion> = {}): Completion => ({
  from: 0,
  suggestions: [],
  command: null,
  ...change,
});

const entry = (line: string, change: Partial<HistoryEntry> = {}): HistoryEntry => ({
  id: line,
  at: new Date().toISOString(),
  line,
  outcome: 'done',
  auditId: null,
  ...change,
});

const open = (options: Parameters<typeof renderAt>[2] = {}, history: HistoryEntry[] = []) => {
  api.answer(commandLineContracts.complete, completion());
  api.answer(commandLineContracts.history, { items: history, nextCursor: null });
  return renderAt('/demo/command-line', <CommandLine />, options);
};
const field = () => screen.getByRole('combobox', { name: 'Command' }) as HTMLInputElement;
const outputs = () => within(screen.getByRole('list', { name: /^Answers/ })).getAllByRole('listitem');

it('runs a read after its dry run, and shows the answer by its type', { tags: ['long'] }, async () => {
  const { user } = open({ role: 'support' });
  api.answer(commandLineContracts.run, ({ dryRun }) =>
    dryRun ? ran({ dryRun: true, type: null, reply: [] }) : ran({}),
  );
  await user.type(field(), 'GET author:id:7{Enter}');
  await screen.findByText('Ada');
  expect(textOf(outputs()[0])).toContain('GET author:id:7');
  expect(field().value).toBe('');
  api.answer(commandLineContracts.run, ({ dryRun }) =>
    ran({
      dryRun,
      line: 'HGETALL h',
      type: 'fields',
      reply: [
        { depth: 1, type: 'string', name: 'name', text: 'Ada' },
        { depth: 1, type: 'string', name: 'password', text: null, masked: true },
      ],
    }),
  );
  await user.type(field(), 'HGETALL h{Enter}');
  const table = await screen.findByRole('table');
  expect(textOf(table)).toBe('FieldValuenameAdapasswordmasked');
});

it('runs a read without a dry run where its command is known already', { tags: ['long'] }, async () => {
  const { user } = open();
  const command = {
    name: 'GET',
    syntax: 'key',
    next: null,
    summary: null,
    since: null,
    group: null,
    complexity: null,
    kind: 'read' as const,
    allowed: true,
    needs: null,
    page: null,
    reason: null,
  };
  api.answer(commandLineContracts.complete, ({ line }) =>
    completion({ command: line === 'GET author:id:7' ? command : null }),
  );
  const inputs: Input<typeof commandLineContracts.run>[] = [];
  api.answer(commandLineContracts.run, (input) => {
    inputs.push(input);
    return ran({});
  });
  await user.type(field(), 'GET author:id:7');
  await screen.findByRole('region', { name: 'Syntax' });
  await user.keyboard('{Enter}');
  await screen.findByText('Ada');
  expect(inputs.map(({ line, dryRun }) => [line, dryRun])).toEqual([['GET author:id:7', false]]);
});

it('shows line breaks of a pasted line as escapes, but not the one at its end', async () => {
  const { user } = open({ role: 'support' });
  await user.type(field(), 'SET pem ');
  await user.paste('"one\r\ntwo"\n');
  expect(field().value).toBe('SET pem "one\\r\\ntwo"');
});

it('suggests what may follow, by keyboard, and says what is refused', async () => {
  const { user } = open();
  const suggestions = [suggestion('GET'), suggestion('GETDEL', { needs: 'keys:write' })];
  const doc = {
    name: 'GET',
    syntax: 'key',
    next: 'key',
    summary: 'Returns a value.',
    since: '1.0.0',
    group: 'string',
    complexity: 'O(1)',
    kind: 'read' as const,
    allowed: true,
    needs: null,
    page: null,
    reason: null,
  };
  api.answer(commandLineContracts.complete, completion({ suggestions, command: doc }));
  await user.type(field(), 'GE');
  const options = await screen.findAllByRole('option');
  expect(options.map(textOf)).toEqual(['GETWhat GET does.', 'GETDELkeys:writeWhat GETDEL does.']);
  expect(field().getAttribute('aria-expanded')).toBe('true');
  expect(textOf(await screen.findByRole('region', { name: 'Syntax' }))).toBe('GET key');
  await user.keyboard('{ArrowDown}');
  expect(field().getAttribute('aria-activedescendant')).toBe(options[0]!.id);
  await user.keyboard('{Enter}');
  expect(field().value).toBe('GET ');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(field().getAttribute('aria-expanded')).toBe('false'));

  await user.clear(field());
  api.answer(
    commandLineContracts.complete,
    completion({
      suggestions: [suggestion('KEYS', { refused: true, page: 'keys', reason: 'It blocks the server.' })],
      command: {
        ...doc,
        name: 'KEYS',
        kind: 'refused',
        allowed: false,
        page: 'keys',
        reason: 'It blocks the server.',
      },
    }),
  );
  await user.type(field(), 'KEYS');
  await screen.findByText('It blocks the server.');
  const link = screen.getByRole('link', { name: /^Open/ });
  expect(link.getAttribute('href')).toBe('/demo/keys');
});

it('names the page of a refused line, and recalls lines of this visit', async () => {
  const { user } = open();
  api.answer(commandLineContracts.run, () => {
    throw new Problem('command_refused', 'It deletes everything, unseen.', {
      extensions: { page: 'invalidate', line: 'FLUSHALL' },
    });
  });
  await user.type(field(), 'FLUSHALL{Enter}');
  await screen.findByText('It deletes everything, unseen.');
  expect(textOf(outputs()[0])).toContain('FLUSHALL');
  expect(screen.getByRole('link', { name: /^Open/ }).getAttribute('href')).toMatch(/^\/demo\/families/);
  await user.clear(field());
  await user.click(field());
  await user.keyboard('{ArrowUp}');
  expect(field().value).toBe('FLUSHALL');
  await user.keyboard('{ArrowDown}');
  expect(field().value).toBe('');
});

it('shows a write before it runs, sends what was looked at, and undoes it', { tags: ['long'] }, async () => {
  const { user } = open();
  const inputs: Input<typeof commandLineContracts.run>[] = [];
  api.answer(commandLineContracts.run, (input) => {
    inputs.push(input);
    const write = { kind: 'write' as const, line: 'DEL author:id:7', keys: [KEY], undo: 'possible' as const };
    if (input.dryRun) return ran({ ...write, dryRun: true, type: null, reply: [], etag: 'as-looked' });
    return ran({
      ...write,
      type: 'integer',
      reply: [{ depth: 0, type: 'integer', text: '1' }],
      auditId: AUDIT_ID,
      keys: [{ ...KEY, type: 'none' }],
      undoUntil: new Date(Date.now() + 86_400_000).toISOString(),
    });
  });
  await user.type(field(), 'DEL author:id:7{Enter}');
  const drawer = await screen.findByRole('dialog');
  expect(textOf(drawer)).toContain('It names 1 key:author:id:7string · never expires · Authors');
  await user.click(within(drawer).getByRole('button', { name: 'Run' }));
  const undo = await screen.findByRole('button', { name: 'Undo' });
  expect(inputs.at(-1)).toMatchObject({ line: 'DEL author:id:7', etag: 'as-looked', withoutUndo: false });
  expect(textOf(outputs()[0])).toContain('does not exist');
  api.answer(undoContract, { undone: 1, conflicts: [], auditId: AUDIT_ID });
  await user.click(undo);
  await screen.findByText('Change undone.');
});

it('says after a write why it has no undo', async () => {
  const { user } = open();
  const write = { kind: 'write' as const, line: 'SADD s x', type: 'integer' as const, auditId: AUDIT_ID };
  api.answer(commandLineContracts.run, ({ dryRun }) =>
    ran({ ...write, dryRun, undo: dryRun ? 'possible' : 'incomparable' }),
  );
  await user.type(field(), 'SADD s x{Enter}');
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Run' }));
  await screen.findByText(/^This cannot be undone: what it left/);
});

it('says before a write that it cannot be undone, and asks for the connection in production', async () => {
  const { user } = open({ connection: { environment: 'production' } });
  api.answer(commandLineContracts.run, ({ dryRun }) =>
    ran({
      dryRun,
      kind: 'write',
      line: 'UNLINK …',
      keyCount: 21,
      undo: 'tooManyKeys',
      type: null,
      reply: [],
    }),
  );
  await user.type(field(), 'UNLINK a{Enter}');
  const drawer = await screen.findByRole('dialog');
  expect(textOf(drawer)).toContain('It cannot be undone: so many keys are not copied.');
  const button = within(drawer).getByRole('button', { name: 'Run without undo' }) as HTMLButtonElement;
  expect(button.disabled).toBe(true);
  await user.type(within(drawer).getByLabelText(/to confirm/), 'demo');
  expect(button.disabled).toBe(false);
});

it('shows and forgets own lines', async () => {
  const { user } = open({}, [entry('SET a •••'), entry('CONFIG SET •••', { outcome: 'refused' })]);
  await screen.findByText('SET a •••');
  const cleared: unknown[] = [];
  api.answer(commandLineContracts.clearHistory, (input) => {
    cleared.push(input);
    return { deleted: 1, auditId: AUDIT_ID };
  });
  await user.click(screen.getByRole('button', { name: 'Forget SET a •••' }));
  await user.click(screen.getByRole('button', { name: 'Forget all' }));
  await waitFor(() => expect(cleared).toMatchObject([{ id: 'SET a •••' }, {}]));
});

it('is no page for a viewer', () => {
  renderAt('/demo/command-line', <CommandLine />, { role: 'viewer' });
  expect(screen.queryByRole('combobox')).toBeNull();
});
