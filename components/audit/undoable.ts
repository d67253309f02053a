'use client';

import { useNow } from '@/components/patterns/now';
import { useViewer } from '@/components/patterns/viewer';
import type { AuditEntry } from '@/lib/audit/schema';
import { flagContracts } from '@/lib/flags/schema';
import { epochOf } from '@/lib/format';
import { guardContracts } from '@/lib/guard/schema';
import { allows } from '@/lib/permissions';

/** Permission that each change needs; its undo needs the same. */
const ACCESS = new Map(
  [...Object.values(flagContracts), ...Object.values(guardContracts)].map((contract) => [
    contract.id as string,
    contract.permission,
  ]),
);

/** Whether to offer undo: still available, not undone yet, and the viewer may make the change itself. */
export const useMayUndo = (entry: AuditEntry): boolean => {
  const { role } = useViewer();
  const now = useNow();
  const until = epochOf(entry.undoUntil);
  if (until === null || entry.undoneBy !== null || until <= (now ?? 0)) return false;
  const access = ACCESS.get(entry.action);
  return access === undefined || allows(role, access);
};
