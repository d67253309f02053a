import 'server-only';
import { z } from 'zod';
import { keyId } from '@/lib/catalog/display';
import { readContext } from '@/lib/command/context';
import { runCommand } from '@/lib/command/run';
import type { ScheduledWork } from '@/lib/jobs/schedule';
import { isCanonicalIp } from './address';
import { findBans, forgetPlan, plannedIps } from './bans';
import { removeFromBlacklist } from './commands';
import { PLANNED_BY } from './endings';

/** The note of each ban says which plan ends it: the plan itself holds nothing. */
const payload = z.strictObject({});

/**
 * Lifts bans whose end has come, in the name of whoever set it. Only those whose note still names this plan: what was
 * lifted, banned again or given another end meanwhile is somebody's later word.
 */
export const banEndings: ScheduledWork<typeof payload> = {
  action: PLANNED_BY,
  payload,
  execute: async ({ actor, requestId, connection }, item) => {
    const ctx = readContext({ actor, requestId }, connection);
    const ips = await plannedIps(ctx, item.id);
    const notes = await findBans(ctx, ips);
    const due = ips.filter((_, i) => notes[i]?.plan === item.id);
    // An entry that is no canonical address goes alone: its other spelling may be somebody's own ban.
    const spelled = due.filter((ip) => !isCanonicalIp(ip));
    const plain = due.filter(isCanonicalIp);
    for (const which of [
      ...(plain.length > 0 ? [{ ips: plain }] : []),
      ...(spelled.length > 0 ? [{ memberIds: spelled.map((ip) => keyId(Buffer.from(ip))) }] : []),
    ]) {
      const raw = { ...which, reason: 'The ban ended.', confirm: connection.config.id };
      await runCommand(removeFromBlacklist, { actor, requestId, connection, raw });
    }
    await forgetPlan(ctx, item.id);
    return { state: 'done' };
  },
};
