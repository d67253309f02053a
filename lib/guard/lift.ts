import 'server-only';
import { z } from 'zod';
import { readContext } from '@/lib/command/context';
import { runCommand } from '@/lib/command/run';
import type { ScheduledWork } from '@/lib/jobs/schedule';
import { keyId } from '@/lib/keyspace/display';
import { isCanonicalIp } from './address';
import { deletePlan, plannedIps, readNotes } from './bans';
import { removeFromBlacklist } from './commands';
import { LIFT_ACTION } from './endings';

/** Empty: the note of each ban names the plan that lifts it. */
const payload = z.strictObject({});

/**
 * Lifts bans whose end has come, under the name of the user who set it. Only bans whose note still names this plan: one
 * that was lifted, made again or given another end meanwhile is not lifted.
 */
export const banEndings: ScheduledWork<typeof payload> = {
  action: LIFT_ACTION,
  payload,
  execute: async ({ actor, requestId, connection }, item) => {
    const ctx = readContext({ actor, requestId }, connection);
    const ips = await plannedIps(ctx, item.id);
    const notes = await readNotes(ctx, ips);
    const due = ips.filter((_, i) => notes[i]?.plan === item.id);
    // An entry that is not a canonical address is removed by its bytes: the canonical spelling may be a ban of its own.
    const verbatim = due.filter((ip) => !isCanonicalIp(ip));
    const canonical = due.filter(isCanonicalIp);
    for (const target of [
      ...(canonical.length > 0 ? [{ ips: canonical }] : []),
      ...(verbatim.length > 0 ? [{ memberIds: verbatim.map((ip) => keyId(Buffer.from(ip))) }] : []),
    ]) {
      const raw = { ...target, reason: 'The ban ended.', confirm: connection.config.id };
      await runCommand(removeFromBlacklist, { actor, requestId, connection, raw });
    }
    await deletePlan(ctx, item.id);
    return { state: 'done' };
  },
};
