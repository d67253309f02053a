import 'server-only';
import { walkAbout } from '@/lib/audit/subject-index';
import { type Subject, subjectsOf } from '@/lib/audit/subjects';
import type { ReadOf } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { guardContracts } from './schema';

const { blacklistAdd, blacklistAnnotate, blacklistRemove, projectsBlock, projectsUnblock } = guardContracts;

/** The changes of each set. */
const ACTIONS = {
  bans: [blacklistAdd.id, blacklistAnnotate.id, blacklistRemove.id],
  projects: [projectsBlock.id, projectsUnblock.id],
} as const;

/** Audit rows examined for one page. */
const MAX_EXAMINED = 20_000;

/** guard.entries.history, from the audit log. */
export const entryHistory: ReadOf<typeof guardContracts.entryHistory> = async (
  { store, connection },
  { set, entry: name, cursor, limit },
) => {
  const subject: Subject = `${set === 'bans' ? 'address' : 'project'} ${name}`;
  const filter = { actions: [...ACTIONS[set]], connection: connection.config.id, cursor };
  const items: Result<typeof guardContracts.entryHistory>['items'] = [];
  for await (const { entry, place, examined } of walkAbout(store, filter, () => subject)) {
    if (entry && entry.outcome !== 'failed' && subjectsOf(entry).includes(subject)) {
      const { id, at, actor, action, reason, outcome, undoneBy } = entry;
      items.push({ auditId: id, at, actor, action, reason, outcome, undoneBy });
    }
    if (items.length === limit || examined >= MAX_EXAMINED) return { items, nextCursor: place };
  }
  return { items, nextCursor: null };
};
