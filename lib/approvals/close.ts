import 'server-only';
import {
  type ChangeRequest,
  decideOn,
  permissionOf,
  removeChangeRequest,
  stateNow,
} from '@/lib/approval-requests/changes';
import { refuseOthersWithdrawal, refuseOwnDecline } from '@/lib/approval-requests/record';
import type { WriteContext } from '@/lib/command/context';
import { type Command, defineCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { Problem } from '@/lib/errors';
import { declineFlagChange, withdrawFlagChange } from '@/lib/flags/request-commands';
import { may } from '@/lib/permissions';
import { findFlagRequest } from './reads';
import { approvalContracts } from './schema';
import { requestLine } from './target';

type FlagCommand = typeof declineFlagChange | typeof withdrawFlagChange;

/** Removes a request that `refuse` lets through; one of a flag by its own operation. */
const close = async (
  ctx: WriteContext,
  id: string,
  ofFlag: FlagCommand,
  refuse: (request: ChangeRequest) => void,
) => {
  if (await findFlagRequest(ctx, id)) {
    const raw = { id, ...(ctx.reason && { reason: ctx.reason }) };
    await runCommand(ofFlag as Command, { ...ctx, raw });
    return { result: { id } };
  }
  return decideOn(ctx, id, async (request) => {
    refuse(request);
    if (stateNow(request, ctx.now()) === 'executing')
      throw new Problem('conflict', 'This request was approved and is being executed.');
    await removeChangeRequest(ctx, id);
    const { operation, by, reason } = request;
    return { result: { id }, before: { operation, requestedBy: by.name, requestReason: reason } };
  });
};

/** approvals.decline */
export const declineRequest = defineCommand({
  contract: approvalContracts.decline,
  target: requestLine,
  redact: ({ id }) => ({ id }),
  run: (ctx, { id }) =>
    close(ctx, id, declineFlagChange, (request) => {
      refuseOwnDecline(request, ctx.actor);
      const permission = permissionOf(request.operation);
      if (permission === null || ctx.actor.role === null || !may(ctx.actor.role, permission))
        throw new Problem('forbidden', `This needs the permission of ${request.operation}.`);
    }),
});

/** approvals.withdraw */
export const withdrawRequest = defineCommand({
  contract: approvalContracts.withdraw,
  target: requestLine,
  redact: ({ id }) => ({ id }),
  run: (ctx, { id }) =>
    close(ctx, id, withdrawFlagChange, (request) => refuseOthersWithdrawal(request, ctx.actor)),
});
