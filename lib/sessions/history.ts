import 'server-only';
import { listEntries } from '@/lib/audit/reads';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { proofFigures, type sessionContracts } from './schema';

type Line = Result<typeof sessionContracts.user>['audit'][number];

const MOST_SHOWN = 20;
const ACTIONS = ['sessions.revoke', 'tokens.oauth.revoke', 'tokens.verification.revoke'];

/** How the targets of changes about one person begin (`commands.ts`). */
const beginOf = (userId: string): string => `user ${userId} (`;

/** Recent changes about this person: whoever may see their sessions may see these (api.md, "Roles"). */
export const readPersonAudit = async (ctx: ReadContext, userId: string): Promise<Line[]> => {
  const connection = ctx.connection.config.id;
  const { items } = await listEntries(ctx.store, {
    actions: ACTIONS,
    connection,
    target: beginOf(userId),
    limit: 200,
  });
  return items
    .filter(({ target }) => target?.startsWith(beginOf(userId)))
    .slice(0, MOST_SHOWN)
    .map(({ id, at, actor, action, target, reason, outcome, after }) => ({
      id,
      at,
      actor,
      action,
      target,
      reason,
      outcome,
      proof: proofFigures.safeParse(after).data ?? null,
    }));
};
