import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { flagsNeedApproval } from '@/lib/values/two-person';

/** Of a change one user may make alone: 409 `approval_required` where two are needed. */
export const unlessApprovalRequired =
  <Rest extends unknown[], R>(change: (ctx: WriteContext, ...rest: Rest) => Promise<R>) =>
  async (ctx: WriteContext, ...rest: Rest): Promise<R> => {
    if (flagsNeedApproval(ctx))
      throw new Problem(
        'approval_required',
        `Flags of connection "${ctx.connection.config.id}" are changed by two people: ask for the change, and somebody else approves it.`,
      );
    return change(ctx, ...rest);
  };
