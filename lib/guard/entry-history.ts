import 'server-only';
import { walkEntries } from '@/lib/audit/reads';
import type { AuditEntry } from '@/lib/audit/schema';
import { part } from '@/lib/audit/subjects';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { guardContracts } from './schema';

const { blacklistAdd, blacklistAnnotate, blacklistRemove, projectsBlock, projectsUnblock } = guardContracts;

/** The changes of each set. */
const ACTIONS = {
  bans: [blacklistAdd.id, blacklistAnnotate.id, blacklistRemove.id],
  projects: [projectsBlock.id, projectsUnblock.id],
} as const;

/** Audit rows examined for one page. */
const MAX_EXAMINED = 20_000;

/** The entries that one side of a change names: as texts, or with their notes. At most a hundred are recorded. */
const namedIn = (side: unknown): unknown[] => {
  const entries = Array.isArray(side) ? side : part(side, 'entries');
  return Array.isArray(entries) ? entries.map((entry) => part(entry, 'ip') ?? entry) : [];
};

const isAbout = ({ target, before, after }: AuditEntry, entry: string): boolean =>
  target === entry || [before, after].some((side) => namedIn(side).includes(entry));

/** guard.entries.history, from the audit log. */
export const entryHistory = async (
  { store, connection }: ReadContext,
  { set, entry: name, cursor, limit }: Input<typeof guardContracts.entryHistory>,
): Promise<Result<typeof guardContracts.entryHistory>> => {
  const filter = { actions: [...ACTIONS[set]], connection: connection.config.id, cursor };
  const items: Result<typeof guardContracts.entryHistory>['items'] = [];
  for await (const { entry, place, examined } of walkEntries(store, filter)) {
    if (entry && entry.outcome !== 'failed' && isAbout(entry, name)) {
      const { id, at, actor, action, reason, outcome, undoneBy } = entry;
      items.push({ auditId: id, at, actor, action, reason, outcome, undoneBy });
    }
    if (items.length === limit || examined >= MAX_EXAMINED) return { items, nextCursor: place };
  }
  return { items, nextCursor: null };
};
