import 'server-only';
import type { AuditEntry } from '@/lib/audit/schema';
import { walkAbout } from '@/lib/audit/subject-index';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { proofFigures } from '../schema';
import type { sessionUserContracts } from './schema';

type Line = Result<typeof sessionUserContracts.user>['audit'][number];

const MAX_SHOWN = 20;
/** Maximum number of audit entries examined for one user. */
const MAX_EXAMINED = 5000;
const ACTIONS = ['sessions.revoke', 'tokens.oauth.revoke', 'tokens.verification.revoke'];

/** The prefix of targets about one user (`commands.ts`). */
const USER = 'user ';
const beginOf = (userId: string): string => `${USER}${userId} (`;

/** Whether a change concerns this user: by its target, or because it ended one of their sessions. */
const isAbout = ({ target, before }: AuditEntry, userId: string): boolean => {
  if (target?.startsWith(beginOf(userId))) return true;
  const users = (before as { users?: unknown } | null)?.users;
  return Array.isArray(users) && users.includes(userId);
};

/** Recent changes about this user. Visible to everyone who may see their sessions. */
export const readUserAudit = async (ctx: ReadContext, userId: string): Promise<Line[]> => {
  const filter = {
    actions: ACTIONS,
    connection: ctx.connection.config.id,
    // A target about one user concerns no other; only entries without such a target must be read.
    wanted: ({ target }: Pick<AuditEntry, 'target'>) =>
      !target?.startsWith(USER) || target.startsWith(beginOf(userId)),
  };
  const lines: Line[] = [];
  for await (const { entry, examined } of walkAbout(ctx.store, filter, () => `user ${userId}`)) {
    if (entry && isAbout(entry, userId)) lines.push(toLine(entry));
    if (lines.length === MAX_SHOWN || examined >= MAX_EXAMINED) break;
  }
  return lines;
};

const toLine = ({ id, at, actor, action, target, reason, outcome, after }: AuditEntry): Line => ({
  id,
  at,
  actor,
  action,
  target,
  reason,
  outcome,
  proof: proofFigures.safeParse(after).data ?? null,
});
