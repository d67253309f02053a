import 'server-only';
import { readContext } from '@/lib/command/context';
import { runCommand } from '@/lib/command/run';
import type { ScheduledWork } from '@/lib/jobs/schedule';
import { findBans, forgetPlan, plannedIps } from './bans';
import { removeFromBlacklist } from './commands';
import { PLANNED_BY } from './endings';

/**
 * Lifts bans whose end has come, in the name of whoever set it. Only those whose note still names this plan: what was
 * lifted, banned again or given another end meanwhile is somebody's later word.
 */
export const banEndings: ScheduledWork = {
  action: PLANNED_BY,
  carryOut: async ({ actor, requestId, connection }, item) => {
    const ctx = readContext({ actor, requestId }, connection);
    const ips = await plannedIps(ctx, item.id);
    const notes = await findBans(ctx, ips);
    const due = ips.filter((_, i) => notes[i]?.plan === item.id);
    if (due.length > 0) {
      const raw = { ips: due, reason: 'The ban ended.', confirm: connection.config.id };
      await runCommand(removeFromBlacklist, { actor, requestId, connection, raw });
    }
    await forgetPlan(ctx, item.id);
    return { state: 'done' };
  },
};
