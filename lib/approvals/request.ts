import 'server-only';
import { addChangeRequest, type ChangeRequest, sameInput } from '@/lib/approval-requests/changes';
import { newRequest } from '@/lib/approval-requests/record';
import { impactOf } from '@/lib/command/approval';
import type { ReadContext } from '@/lib/command/context';
import { type AuditJson, type Command, defineCommand } from '@/lib/command/define';
import { approvableCommand } from '@/lib/command/registry';
import { checkCommand } from '@/lib/command/run';
import type { Input } from '@/lib/contract';
import { badField } from '@/lib/errors';
import { rowOf } from './rows';
import { approvalContracts } from './schema';

type Asked = Input<typeof approvalContracts.request>;

const commandOf = ({ operation }: Asked): Command => {
  const command = approvableCommand(operation);
  if (command) return command;
  const message = operation.startsWith('flags.')
    ? 'Request changes of flags with flags.request.'
    : 'This is no change that can need approval.';
  throw badField('operation', message);
};

/** The input of the change. Its reason is that of the request. */
const rawOf = ({ input: { reason: _, ...raw } }: Asked): Record<string, unknown> => raw;

type Checked = Awaited<ReturnType<typeof checkCommand>>;
const checks = new WeakMap<Asked, Promise<Checked>>();

/** The change as its caller could make it, checked once. Throws what the change itself would be refused with. */
const checkedOf = (ctx: ReadContext, asked: Asked): Promise<Checked> => {
  const checked = checks.get(asked) ?? checkCommand(commandOf(asked), { ...ctx, raw: rawOf(asked) });
  checks.set(asked, checked);
  return checked;
};

const redactedInput = (asked: Asked): AuditJson => {
  const command = commandOf(asked);
  const parsed = command.contract.input.safeParse(rawOf(asked));
  return parsed.success ? command.redact(parsed.data as never) : null;
};

const targetOf = async (ctx: ReadContext, asked: Asked): Promise<string> => {
  const { input, ctx: checked } = await checkedOf(ctx, asked);
  return commandOf(asked).target(input as never, checked);
};

/** approvals.request: the caller must be allowed to make the change. 409 for a second request for the same input. */
export const requestApproval = defineCommand({
  contract: approvalContracts.request,
  target: async (asked, ctx) => `${asked.operation}: ${await targetOf(ctx, asked)}`,
  redact: (asked) => ({ operation: asked.operation, input: redactedInput(asked) }),
  needs: async (ctx, asked) => {
    await checkedOf(ctx, asked);
    return [];
  },
  run: async (ctx, asked) => {
    const { input, ctx: checked } = await checkedOf(ctx, asked);
    const { operation } = asked;
    const raw = rawOf(asked);
    const request: ChangeRequest = {
      ...newRequest(ctx),
      operation,
      target: await targetOf(ctx, asked),
      input: redactedInput(asked),
      was: await impactOf(commandOf(asked), checked, input as never),
      same: sameInput(operation, raw),
      state: 'pending',
    };
    await addChangeRequest(ctx, request, raw);
    const { id, was } = request;
    return {
      result: { request: rowOf(ctx, request) },
      before: null,
      after: { id, operation, count: was.count },
    };
  },
});
