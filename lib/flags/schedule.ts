import 'server-only';
import type { Principal } from '@/lib/access/on-behalf-of';
import type { WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { scheduledTime } from '@/lib/command/validate';
import type { Input } from '@/lib/contract';
import { notFound, Problem } from '@/lib/errors';
import type { Executed, ScheduledItem, ScheduledWork } from '@/lib/jobs/schedule';
import { scheduledOf } from '@/lib/jobs/schedule';
import { store } from '@/lib/redis/store';
import { iso } from '@/lib/time';
import { writeBoolean } from '@/lib/values/style';
import { flagsNeedApproval } from '@/lib/values/two-person';
import { unlessApprovalRequired } from './approval';
import { readSettable, switchFlag } from './change';
import { flagTarget, setFlagCommand } from './commands';
import { withFlagLease } from './flag-lease';
import {
  addScheduled,
  cancelScheduled,
  SCHEDULED_BY,
  scheduledData,
  scheduledFor,
} from './scheduled-changes';
import { flagContracts } from './schema';
import { textEtag } from './state';

type NewChange = Pick<Input<typeof flagContracts.schedule>, 'name' | 'enabled' | 'at' | 'etag'>;

/** Where two people agreed: who asked, in whose name it is planned, and who approved. */
interface Approved {
  asked: Principal;
  by: string;
}

/** Plans a switch upon the value the caller has seen. Nobody else may plan for the flag meanwhile. */
export const scheduleSwitch = async (ctx: WriteContext, wanted: NewChange, approved?: Approved) => {
  const { name, enabled, etag } = wanted;
  const at = scheduledTime('at', wanted.at, ctx.now());
  const { text } = await readSettable(ctx, name, etag);
  const leaves = textEtag(writeBoolean(text, enabled)!);
  const approvedBy = approved?.by ?? null;
  return addScheduled(ctx, { name, at, etag, enabled, leaves, approvedBy, by: approved?.asked });
};

export const scheduleFlag = defineCommand({
  contract: flagContracts.schedule,
  target: flagTarget,
  redact: ({ enabled, at }) => ({ enabled, at }),
  run: unlessApprovalRequired(async (ctx, input) => {
    const planned = await withFlagLease(ctx, input.name, () => scheduleSwitch(ctx, input));
    const { id, at, enabled } = planned;
    return { result: { name: input.name, planned }, after: { id, at, enabled } };
  }),
});

/** 409 where two people agreed to a plan that still waits: nobody changes that alone. */
const refuseApproved = async (ctx: WriteContext, name: string, id: string): Promise<void> => {
  if (!flagsNeedApproval(ctx)) return;
  const plan = (await scheduledFor(ctx, name)).find(({ item }) => item.id === id);
  if (plan && plan.data.approvedBy !== null && plan.item.state !== 'suspended')
    throw new Problem(
      'approval_required',
      'Two people agreed to this plan: ask for it to be taken out, and somebody else approves it.',
    );
};

export const unscheduleFlag = defineCommand({
  contract: flagContracts.unschedule,
  target: flagTarget,
  redact: ({ id }) => ({ id }),
  run: async (ctx, { name, id }) => {
    const plan = await withFlagLease(ctx, name, async () => {
      await refuseApproved(ctx, name, id);
      return cancelScheduled(ctx, name, id);
    });
    if (!plan) throw notFound('This plan');
    const { enabled } = plan.data;
    return { result: { name, id }, before: { id, at: iso(plan.item.at), enabled } };
  },
});

/** `flags.set` as a plan makes it: two people have agreed to it, or one is enough. */
const scheduledSwitch = (approvedBy: string | null): typeof setFlagCommand => ({
  ...setFlagCommand,
  run: async (ctx, input) => {
    const done = await switchFlag(ctx, input);
    return approvedBy ? { ...done, after: { ...done.after, approvedBy } } : done;
  },
});

const MEANWHILE = 'The flag was changed meanwhile: it is not what this was planned upon.';
const AFTER_SUSPENDED =
  'The plan before this one was not carried out: the flag is not what this was planned upon.';

const whyNot = async (problem: Problem, item: ScheduledItem): Promise<string> => {
  if (problem.code === 'forbidden') return `${item.by.name} may no longer change flags.`;
  if (problem.code === 'not_found') return 'The flag is gone.';
  if (problem.code !== 'changed') return problem.message;
  const others = await scheduledOf(store(), item.connection, SCHEDULED_BY);
  const before = others.filter((other) => other.target === item.target && other.at < item.at).at(-1);
  return before?.state === 'suspended' ? AFTER_SUSPENDED : MEANWHILE;
};

const suspended = (why: string): Executed => ({ state: 'suspended', why });

/** Executes planned switches in the name of whoever planned them; what does not fit any more is suspended. */
export const flagSchedule: ScheduledWork<typeof scheduledData> = {
  action: SCHEDULED_BY,
  payload: scheduledData,
  execute: async ({ actor, requestId, connection }, item, { enabled, expects, leaves, approvedBy }) => {
    if (flagsNeedApproval({ connection }) && approvedBy === null)
      return suspended('Flags here are changed by two people by now, and nobody else approved this.');
    const raw = {
      name: item.target,
      enabled,
      etag: expects,
      ...(item.reason ? { reason: item.reason } : {}),
    };
    try {
      await runCommand(scheduledSwitch(approvedBy), { actor, requestId, connection, raw });
      return { state: 'done' };
    } catch (error) {
      if (!(error instanceof Problem) || error.status === 503) throw error;
      // A try before this one may have been carried out although nobody heard: then the flag is as it leaves it.
      if (item.why !== null && error.code === 'changed' && error.extensions.etag === leaves)
        return { state: 'done' };
      return suspended(await whyNot(error, item));
    }
  },
};
