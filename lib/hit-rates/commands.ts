import 'server-only';
import { actorLabel } from '@/lib/actor';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { badField, Problem } from '@/lib/errors';
import { enqueue } from '@/lib/jobs/enqueue';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { isSufficient, mergeFlags } from '@/lib/redis/keyspace-events';
import { flagsOf, publishesMisses, restoreLeftFlags } from './flags';
import { sampleJob } from './job';
import { describeSampling, needsNoConsent } from './sampling';
import { hitRateContracts, MAX_DUTY, withinDuty } from './schema';
import { type Consent, readSampling, saveSettings, settingsInForce } from './state';

/** Consent to changing the flags; null where they need no change. `given` must equal the current value: 412 otherwise. */
const consentTo = async (ctx: WriteContext, given: string | undefined): Promise<Consent | null> => {
  const presents: Record<string, string> = {};
  for (const node of await knownPrimaries(ctx.connection)) {
    const present = await flagsOf(ctx.connection, ctx.store, node);
    if (present === null)
      throw new Problem('conflict', 'The server does not let us read notify-keyspace-events (CONFIG GET).');
    presents[node.id] = present;
  }
  const insufficient = Object.values(presents).filter((present) => !isSufficient(present));
  if (insufficient.length === 0) return null;
  const [present] = insufficient as [string];
  const extensions = { present, proposed: mergeFlags(present) };
  if (given === undefined)
    throw new Problem(
      'conflict',
      `notify-keyspace-events is "${present}" and must be "${mergeFlags(present)}" while a window is open: send "present" to agree.`,
      { extensions },
    );
  if (insufficient.some((flags) => flags !== given))
    throw new Problem(
      'changed',
      `notify-keyspace-events is now "${present}", which is not the value you agreed to change.`,
      { extensions },
    );
  return { by: actorLabel(ctx.actor), at: ctx.now(), auditId: ctx.auditId, presents };
};

const changesNothing = ({ connection, store }: ReadContext): Promise<boolean> =>
  publishesMisses(connection, store);

/** hitRates.sampling.set: turns windows on or off. The flags of the server change only while a window is open. */
export const setSampling = defineCommand({
  contract: hitRateContracts.setSampling,
  target: () => 'live sample of hit rates',
  redact: ({ on, everySeconds, forSeconds, present }) => ({
    on,
    everySeconds: everySeconds ?? null,
    forSeconds: forSeconds ?? null,
    present: present ?? null,
  }),
  isNoOp: async (ctx, { on }) => !on || (await changesNothing(ctx)),
  run: async (ctx, { on, everySeconds, forSeconds, present }) => {
    const { id, hitRates } = ctx.connection.config;
    const before = await readSampling(ctx.store, id);
    const inForce = settingsInForce(hitRates, before, await needsNoConsent(ctx.connection, ctx.store));
    const settings = {
      on,
      everySeconds: everySeconds ?? inForce.everySeconds,
      forSeconds: forSeconds ?? inForce.forSeconds,
    };
    const chosen = everySeconds !== undefined || forSeconds !== undefined;
    if (on && chosen && !withinDuty(settings))
      throw badField(
        forSeconds === undefined ? 'everySeconds' : 'forSeconds',
        `${settings.forSeconds} s every ${settings.everySeconds} s is more than ${MAX_DUTY * 100} % of the time.`,
      );
    const consent = on ? await consentTo(ctx, present) : null;
    await saveSettings(ctx.store, id, settings, consent);
    if (!on) await restoreLeftFlags(ctx.connection, ctx.store);
    const flags = (agreed: Consent | null) => ({
      flags: agreed ? mergeFlags(Object.values(agreed.presents)[0] ?? '') : null,
    });
    return {
      result: { state: await describeSampling(ctx) },
      before: { ...inForce, ...flags(before.consent) },
      after: { ...settings, ...flags(consent) },
    };
  },
});

/** hitRates.sample: observes the live traffic now, in a job. */
export const takeSample = defineCommand({
  contract: hitRateContracts.sample,
  target: ({ seconds }) => `live sample of ${seconds} s`,
  redact: ({ seconds, present }) => ({ seconds, present: present ?? null }),
  isNoOp: changesNothing,
  run: async (ctx, { seconds, present }) => {
    const { consent: given } = await readSampling(ctx.store, ctx.connection.config.id);
    const consent = given && present === undefined ? given : await consentTo(ctx, present);
    const jobId = await enqueue(ctx, sampleJob, {
      data: { seconds, presents: consent?.presents ?? null },
      target: `live sample of ${seconds} s`,
      total: seconds,
    });
    return { result: { jobId }, continues: true };
  },
});
