import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { ConnectionConfig } from '@/lib/configuration';
import { registerDomains } from '@/lib/domains/all';
import { type ConnectionHandle, connections, openConnection } from '@/lib/redis/connections';
import { ruleConflicts } from '@/lib/values/flag-rules';
import { refuseConflictingRules } from '@/lib/wiring';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { approvalRule, operationsToApprove, unknownOperations } from './approval-rule';

let test: TestContext;
const opened: ConnectionHandle[] = [];
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'hawk'] });
  registerDomains();
});
afterEach(() => {
  for (const handle of opened.splice(0)) handle.topology.close();
  connections.replace(new Map());
});
afterAll(() => {
  connections.forget();
  return test.close();
});

const open = (id: string, change: Partial<ConnectionConfig>): ConnectionHandle => {
  const handle = openConnection({ ...test.handle.config, id, ...change });
  opened.push(handle);
  connections().set(id, handle);
  return handle;
};
const approvals = (...operations: string[]) => ({ approvals: { operations, expiresHours: 24, bound: 0.1 } });

it('names the operations that a pattern includes: changes of a Redis, no reads, not those of flags', () => {
  const handle = open('a', approvals('env.*', 'families.invalidate'));
  const named = operationsToApprove(handle);
  expect(named).toEqual(expect.arrayContaining(['env.set', 'env.import', 'families.invalidate']));
  for (const other of ['env.list', 'env.reveal', 'families.setTtl', 'flags.set', 'audit.undo'])
    expect(named).not.toContain(other);
  expect(unknownOperations()).toEqual([]);
});

it('finds patterns of nothing, and limits of what counts nothing', () => {
  open('a', {
    ...approvals('guard.*', 'nothing.*', 'env.reveal', 'flags.set'),
    limits: { support: { 'sessions.revoke': 5, 'locks.release': 1, 'no.such': 2 } },
  } as never);
  expect(unknownOperations()).toEqual([
    expect.stringContaining('approvals for nothing.*'),
    expect.stringContaining('approvals for env.reveal'),
    expect.stringMatching(/approvals for flags.set.*flags have one rule, flags\.\*/),
    expect.stringContaining('limit of support for locks.release'),
    expect.stringContaining('limit of support for no.such'),
  ]);
});

it('is the strictest of all connections to a database, whose differences stop the start', async () => {
  const strict = { operations: ['guard.*'], expiresHours: 2, bound: 0.5 };
  open('a', { approvals: strict, limits: { support: { 'sessions.revoke': 5 } } } as never);
  const lax = open('b', {
    ...approvals('env.set'),
    limits: { support: { 'sessions.revoke': 9 } },
  } as never);
  const rule = approvalRule(lax);
  expect([...rule.operations].sort()).toEqual(['env.set', 'guard.*']);
  expect(rule).toMatchObject({ expiresMs: 2 * 3_600_000, bound: 0.1 });
  expect(rule.limits.support).toEqual({ 'sessions.revoke': 5 });
  expect(ruleConflicts()).toMatchObject([{ text: expect.stringContaining('different approvals or limits') }]);
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
  const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await refuseConflictingRules();
  expect(exit).toHaveBeenCalledExactlyOnceWith(1);
  expect(String(errors.mock.calls)).toContain('"a" and "b"');
  vi.restoreAllMocks();
});

it('is compared with no read-only connection, nor with the same rule', () => {
  open('a', approvals('guard.*'));
  open('same', approvals('guard.*'));
  open('locked', { readOnly: true });
  expect(ruleConflicts()).toEqual([]);
});
