import 'server-only';
import { z } from 'zod';
import type { Principal } from '@/lib/access/on-behalf-of';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand, type Undone } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { scheduledTime } from '@/lib/command/validate';
import type { Input } from '@/lib/contract';
import { notFound, Problem } from '@/lib/errors';
import type { Executed, ScheduledItem, ScheduledWork } from '@/lib/jobs/schedule';
import { principal, scheduledOf } from '@/lib/jobs/schedule';
import { store } from '@/lib/redis/store';
import { iso } from '@/lib/time';
import { writeBoolean } from '@/lib/values/style';
import { flagsNeedApproval } from '@/lib/values/two-person';
import { unlessApprovalRequired } from './approval';
import { readSettable, switchFlag } from './change';
import { setFlagCommand } from './commands';
import { withFlagLease } from './flag-lease';
import { flagTarget } from './names';
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

/** An approved request: the requester, under whose name the change runs, and the approver. */
interface Approved {
  requester: Principal;
  approver: string;
}

/** Schedules turning a flag on or off; `etag` is of the value the caller has seen. Needs the flag's lease. */
export const scheduleSwitch = async (ctx: WriteContext, change: NewChange, approved?: Approved) => {
  const { name, enabled, etag } = change;
  const at = scheduledTime('at', change.at, ctx.now());
  const { text } = await readSettable(ctx, name, etag);
  const leaves = textEtag(writeBoolean(text, enabled)!);
  const approvedBy = approved?.approver ?? null;
  return addScheduled(ctx, { name, at, etag, enabled, leaves, approvedBy, by: approved?.requester });
};

export const scheduleFlag = defineCommand({
  contract: flagContracts.schedule,
  target: flagTarget,
  redact: ({ enabled, at }) => ({ enabled, at }),
  run: unlessApprovalRequired(async (ctx, input) => {
    const scheduled = await withFlagLease(ctx, input.name, () => scheduleSwitch(ctx, input));
    const { id, at, enabled } = scheduled;
    return { result: { name: input.name, planned: scheduled }, after: { id, at, enabled } };
  }),
});

/** 409 for a waiting change that was approved: cancelling it needs approval too. */
const refuseApproved = async (ctx: WriteContext, name: string, id: string): Promise<void> => {
  if (!flagsNeedApproval(ctx)) return;
  const entry = (await scheduledFor(ctx, name)).find(({ item }) => item.id === id);
  if (entry && entry.data.approvedBy !== null && entry.item.state !== 'suspended')
    throw new Problem(
      'approval_required',
      'This scheduled change was approved: request its cancellation instead.',
    );
};

const cancelled = z.object({ name: z.string(), at: z.number(), by: principal, data: scheduledData });

/** Schedules the change again, for the user who scheduled it. What the flag has by then is checked when it is due. */
const undoCancellation = async (ctx: WriteContext, kept: AuditJson): Promise<Undone> => {
  const { name, at, by, data } = cancelled.parse(kept);
  const conflict = (why: string): Undone => ({ undone: 0, conflicts: [{ what: name, why }] });
  if (at <= ctx.now()) return conflict('Its time has passed.');
  const { expects: etag, ...change } = data;
  try {
    await withFlagLease(ctx, name, () => addScheduled(ctx, { name, at, etag, by, ...change }));
  } catch (error) {
    if (error instanceof Problem && error.code === 'conflict') return conflict(error.message);
    throw error;
  }
  return { undone: 1, conflicts: [] };
};

export const unscheduleFlag = defineCommand({
  contract: flagContracts.unschedule,
  target: flagTarget,
  redact: ({ id }) => ({ id }),
  run: async (ctx, { name, id }) => {
    const entry = await withFlagLease(ctx, name, async () => {
      await refuseApproved(ctx, name, id);
      return cancelScheduled(ctx, name, id);
    });
    if (!entry) throw notFound('This scheduled change');
    const { item, data } = entry;
    return {
      result: { name, id },
      before: { id, at: iso(item.at), enabled: data.enabled },
      undo: { name, at: item.at, by: { ...item.by }, data: { ...data } },
    };
  },
  undo: undoCancellation,
  undoNeedsNoConfirmation: true,
});

/** `flags.set` as a scheduled change runs it: no approval check, since that was done when it was scheduled. */
const scheduledSwitch = (approvedBy: string | null): typeof setFlagCommand => ({
  ...setFlagCommand,
  run: async (ctx, input) => {
    const done = await switchFlag(ctx, input);
    return approvedBy ? { ...done, after: { ...done.after, approvedBy } } : done;
  },
});

const CHANGED_SINCE = 'The flag was changed after this change was scheduled.';
const AFTER_SUSPENDED =
  'The scheduled change before this one was suspended, so the flag does not have the expected value.';

const whyNot = async (problem: Problem, item: ScheduledItem): Promise<string> => {
  if (problem.code === 'forbidden') return `${item.by.name} may no longer change flags.`;
  if (problem.code === 'not_found') return 'The flag was deleted.';
  if (problem.code !== 'changed') return problem.message;
  const others = await scheduledOf(store(), item.connection, SCHEDULED_BY);
  const before = others.filter((other) => other.target === item.target && other.at < item.at).at(-1);
  return before?.state === 'suspended' ? AFTER_SUSPENDED : CHANGED_SINCE;
};

const suspended = (why: string): Executed => ({ state: 'suspended', why });

/** Executes scheduled flag changes under the name of the user who scheduled them; suspends those that no longer apply. */
export const flagSchedule: ScheduledWork<typeof scheduledData> = {
  action: SCHEDULED_BY,
  payload: scheduledData,
  execute: async ({ actor, requestId, connection }, item, { enabled, expects, leaves, approvedBy }) => {
    if (flagsNeedApproval({ connection }) && approvedBy === null)
      return suspended('Flags here now need approval, and this change was not approved.');
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
      // An earlier attempt may have succeeded before its result was stored: then the flag has the new value already.
      if (item.why !== null && error.code === 'changed' && error.extensions.etag === leaves)
        return { state: 'done' };
      return suspended(await whyNot(error, item));
    }
  },
};
