import 'server-only';
import { actorLabel } from '@/lib/actor';
import { defineCommand } from '@/lib/command/define';
import { futureTime } from '@/lib/command/validate';
import { badField, notFound, Problem } from '@/lib/errors';
import { maskSecrets } from '@/lib/keyspace/mask';
import { DAY, isoOrNull } from '@/lib/time';
import { getOverview } from './overview';
import { canPutOff, MAX_DAYS, writePutOff } from './put-off';
import { overviewContracts } from './schema';

const timeIn = (until: string | null, now: number): number | null => {
  if (until === null) return null;
  const time = futureTime('until', until, now);
  if (time > now + MAX_DAYS * DAY) throw badField('until', `Choose a time within ${MAX_DAYS} days.`);
  return time;
};

/** overview.putOff: in the console's store, so a read-only connection takes it too. */
export const putOff = defineCommand({
  contract: overviewContracts.putOff,
  target: ({ id }) => maskSecrets(id, false),
  redact: ({ id, until }) => ({ id: maskSecrets(id, false), until }),
  isNoOp: async () => true,
  run: async (ctx, { id, until, reason = '' }) => {
    const now = ctx.now();
    const time = timeIn(until, now);
    if (!canPutOff(id))
      throw new Problem(
        'conflict',
        'This stays until it is solved: somebody may be tampering with the console.',
      );
    // Only what the caller sees: ids of others say nothing.
    const { attention } = await getOverview(ctx);
    if (!attention.some((item) => item.id === id)) throw notFound('This');
    const value =
      time === null ? null : { until: time, by: actorLabel(ctx.actor), reason: maskSecrets(reason, false) };
    const before = await writePutOff(ctx.store, ctx.connection.config.id, id, value, now);
    return {
      result: { id, until: isoOrNull(time) },
      before: { until: isoOrNull(before?.until ?? null) },
      after: { until: isoOrNull(time) },
    };
  },
});
