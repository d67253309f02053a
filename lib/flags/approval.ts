import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { flagsNeedApproval } from '@/lib/values/two-person';

/** Wraps a change so that it fails with 409 `approval_required` where flags need a second person's approval. */
export const unlessApprovalRequired =
  <Rest extends unknown[], R>(change: (ctx: WriteContext, ...rest: Rest) => Promise<R>) =>
  async (ctx: WriteContext, ...rest: Rest): Promise<R> => {
    if (flagsNeedApproval(ctx))
      throw new Problem(
        'approval_required',
        `Flags of connection "${ctx.connection.config.id}" need approval by a second person: request the change instead.`,
      );
    return change(ctx, ...rest);
  };
