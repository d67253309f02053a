import { describe, expect, it } from 'vitest';
import type { Flag } from '@/lib/flags/schema';
import { type Change, undoableChange } from './undoable-change';

const NOW = Date.parse('2026-07-15T12:00:00Z');
const LATER = '2026-07-16T12:00:00.000Z';

const change = (
  auditId: string,
  from: string | null,
  to: string | null,
  rest: Partial<Change> = {},
): Change => ({
  auditId,
  at: '2026-07-15T11:00:00.000Z',
  actor: 'li@example.org',
  from,
  to,
  reason: null,
  action: 'flags.set',
  outcome: 'succeeded',
  undoUntil: LATER,
  undoneBy: null,
  ...rest,
});

const flagWith = (raw: string) => ({ raw }) as Flag;
const taken = (changes: Change[], flag: Flag | undefined) =>
  undoableChange(changes, flag, NOW)?.auditId ?? null;

describe('the change that can be undone', () => {
  const on = change('b', 'off', 'on');
  const off = change('a', 'on', 'off');

  it('is the newest, while its value stands and the offer lasts', () => {
    expect(taken([on, off], flagWith('on'))).toBe('b');
    expect(taken([on, off], flagWith('off'))).toBeNull();
    expect(taken([{ ...on, undoUntil: '2026-07-15T11:59:59.000Z' }, off], flagWith('on'))).toBeNull();
    expect(taken([{ ...on, outcome: 'pending' }, off], flagWith('on'))).toBeNull();
    expect(taken([], flagWith('on'))).toBeNull();
  });

  it('is the previous one, once the newest is undone', () => {
    const undone = { ...on, undoneBy: 'u' };
    const undoing = change('u', 'on', 'off', { action: 'audit.undo', undoUntil: null });
    expect(taken([undoing, undone, off], flagWith('off'))).toBe('a');
  });

  it('is never older than a change that cannot be undone', () => {
    const byVariable = change('v', 'on', 'off', { action: 'env.set', undoUntil: null });
    expect(taken([byVariable, on, off], flagWith('off'))).toBeNull();
  });

  it('is not hidden by a declined request, which changed nothing', () => {
    const declined = change('d', null, null, { action: 'flags.decline', undoUntil: null });
    expect(taken([declined, on], flagWith('on'))).toBe('b');
  });

  it('is a deletion only while the flag is gone', () => {
    const deleted = change('x', 'on', null, { action: 'flags.delete' });
    expect(taken([deleted, on], undefined)).toBe('x');
    expect(taken([deleted, on], flagWith('on'))).toBeNull();
  });
});
