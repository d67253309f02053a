import 'server-only';
import { isProfiling } from '@/lib/calls/monitor-lease';
import { defineCommand } from '@/lib/command/define';
import { badField, Problem } from '@/lib/errors';
import { enqueue } from '@/lib/jobs/enqueue';
import { maskSecrets } from '@/lib/keyspace/mask';
import { UNCLASSIFIED } from './calls';
import { statedShareOf } from './cost';
import { highestLoad, readLoads } from './estimate';
import { profileJob } from './job';
import { UNDER_WAY } from './refusal';
import { MAX_SHARE, type ProfileFilter, profilerContracts } from './schema';

/** A filter may contain a pasted secret. Names are compared in their displayed form, so a secret would match nothing. */
const withoutSecrets = (filter: ProfileFilter): ProfileFilter =>
  Object.fromEntries(Object.entries(filter).map(([name, text]) => [name, maskSecrets(text, true)]));

const target = ({ seconds }: { seconds: number }): string => `profile of ${seconds} s`;

/** profiler.start: reads MONITOR within a stated share of the server's time, in a job. */
export const startProfile = defineCommand({
  contract: profilerContracts.start,
  target,
  redact: ({ seconds, filter = {}, maxShare, consent }) => ({
    seconds,
    filter: withoutSecrets(filter),
    maxShare: maxShare ?? null,
    consent,
  }),
  // It reads the commands of every client, so it must not start by mistake.
  needsConfirmation: () => true,
  isNoOp: async () => true,
  run: async (ctx, { seconds, filter: given = {}, maxShare = MAX_SHARE }) => {
    const { connection, catalog, store } = ctx;
    const filter = withoutSecrets(given);
    if (filter.family !== undefined && filter.family !== UNCLASSIFIED && !catalog.get(filter.family))
      throw badField('filter.family', 'The connection has no such family.');
    if (await isProfiling(store, connection)) throw new Problem('conflict', UNDER_WAY);
    // The load may have grown since the user consented to the estimate.
    const share = Math.min(maxShare, statedShareOf(highestLoad(await readLoads(connection))));
    const jobId = await enqueue(ctx, profileJob, {
      data: { seconds, share, filter },
      // One profile at a time, whatever its options.
      same: 'profile',
      target: target({ seconds }),
      total: seconds,
    });
    return { result: { jobId }, after: { statedShare: share }, continues: true };
  },
});
