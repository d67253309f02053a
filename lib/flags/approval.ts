import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';

/** Whether flags of this connection are changed by two people: one asks, another approves. */
export const needsApproval = (ctx: Pick<ReadContext, 'connection'>): boolean =>
  ctx.connection.config.flags.approval === 'two-person';

/** Of a change one person may make alone: 409 `approval_required` where two are needed. */
export const alone =
  <Rest extends unknown[], R>(change: (ctx: WriteContext, ...rest: Rest) => Promise<R>) =>
  async (ctx: WriteContext, ...rest: Rest): Promise<R> => {
    if (needsApproval(ctx))
      throw new Problem(
        'approval_required',
        `Flags of connection "${ctx.connection.config.id}" are changed by two people: ask for the change, and somebody else approves it.`,
      );
    return change(ctx, ...rest);
  };
