import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { monitorUse, withMonitorForProfile, withProfileLease } from '@/lib/calls/monitor-lease';
import type { Outcome } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import type { JobContext, JobDefinition } from '@/lib/jobs/define';
import { SECOND } from '@/lib/time';
import { observeProfile, type ProfileOptions } from './observe';
import { toProblem, UNDER_WAY } from './refusal';
import { MAX_SECONDS, MAX_SHARE, type Profile, profile, profilerContracts } from './schema';

const payload = z.strictObject({
  seconds: z.number().min(1).max(MAX_SECONDS),
  share: z.number().min(0).max(MAX_SHARE),
  filter: profile.shape.filter,
});

/** How long it waits for a window of hit rates, which also reads MONITOR. */
const OPEN_TIMEOUT_MS = 20 * SECOND;
const IN_USE = {
  window: 'A window for hit rates stays open on this server.',
  profile: 'Another profile of this server still reads MONITOR.',
};

/** Runs `work` once nothing else reads MONITOR of the server. Throws 409 after the time-out. */
const whenNoWindow = async (
  { store, connection, signal }: JobContext,
  work: () => Promise<Profile>,
): Promise<Profile> => {
  const until = performance.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    const done = await withMonitorForProfile(store, connection, work);
    if (done.ok) return done.value;
    if (performance.now() >= until || signal.aborted)
      throw new Problem('conflict', IN_USE[(await monitorUse(store, connection)) ?? 'window']);
    await sleep(SECOND / 2, undefined, { signal }).catch(() => undefined);
  }
};

const runWith =
  (options: Pick<ProfileOptions, 'measure'>) =>
  async (
    ctx: JobContext,
    { seconds, share, filter }: z.output<typeof payload>,
  ): Promise<Outcome<Record<string, unknown>>> => {
    const { connection, catalog, signal } = ctx;
    await ctx.progress(0, seconds, 0);
    const onProgress = (elapsed: number) => ctx.progress(Math.round(elapsed * 10) / 10, seconds, 0);
    const observe = () =>
      observeProfile(
        { handle: connection, catalog },
        { seconds, share, filter, signal, onProgress, ...options },
      );
    try {
      const taken = await withProfileLease(ctx.store, connection, () => whenNoWindow(ctx, observe));
      if (!taken.ok) throw new Problem('conflict', UNDER_WAY);
      const { summary, ended, calls, observedSeconds, cost } = taken.value;
      if (ended.why === 'complete') await ctx.progress(seconds, seconds, 0);
      // The rows stay in the job's result, which fewer users may read, and for a shorter time than the audit log.
      const asked = { seconds, filter, consent: true };
      const after = { ...asked, summary, ended: ended.why, calls, observedSeconds, ...cost };
      return { result: taken.value, after };
    } catch (error) {
      throw toProblem(connection.config.id, error);
    }
  };

/** An interrupted profile is not repeated: it may not be wanted any more. */
export const profileJobWith = (options: Pick<ProfileOptions, 'measure'>): JobDefinition<typeof payload> => ({
  action: profilerContracts.start.id,
  permission: 'caches:sample',
  unit: 'seconds',
  payload,
  onReadOnly: true,
  isLong: true,
  run: runWith(options),
});

export const profileJob = profileJobWith({});
