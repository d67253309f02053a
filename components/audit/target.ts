import { type AuditEntry, undoContract } from '@/lib/audit/schema';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const textOf = (side: unknown, name: string): string | null => {
  const value =
    typeof side === 'object' && side !== null ? (side as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
};

/**
 * The name of the target: the current one for a family or a project, that of the undone change for an undo, and the
 * recorded one for an id.
 */
export const targetName = ({
  action,
  target,
  targetName: name,
  before,
  after,
}: Pick<AuditEntry, 'action' | 'target' | 'targetName' | 'before' | 'after'>): string | null => {
  if (name) return name;
  if (target === null || !ID.test(target)) return target;
  if (action === undoContract.id) return textOf(before, 'target') ?? target;
  for (const field of ['email', 'name'])
    for (const side of [after, before]) {
      const text = textOf(side, field);
      if (text !== null) return text;
    }
  return target;
};
