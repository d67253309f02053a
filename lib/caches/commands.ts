import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { enqueue } from '@/lib/jobs/enqueue';
import type { Permission } from '@/lib/permissions';
import { flagsOfTwo, SECOND_PERSON } from '@/lib/values/second-person';
import { COUNT_WITHIN_MS, countTarget, type TargetCount } from './count';
import { withFacts } from './entity';
import { invalidationJob } from './job';
import { reachOf, type Target } from './reach';
import { beginRestoration } from './restoration';
import { cacheContracts, type InvalidationTarget } from './schema';
import { namesSensitive, resolveTarget } from './target';
import { ttlJob } from './ttl';
import { undoOf, whyNot } from './undo-limits';
import { SENSITIVE } from './walk';

const FIELDS = ['keyIds', 'family', 'params', 'pattern', 'entity'] as const;

const targetFields = (input: InvalidationTarget): InvalidationTarget =>
  Object.fromEntries(FIELDS.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));

/** What one call is about: its target as it is carried out, and how many keys that is. */
interface Asked {
  fields: InvalidationTarget;
  target: Target;
  count: TargetCount;
}

const asked = new WeakMap<InvalidationTarget, Promise<Asked>>();

/** Counted once a call, though it is asked for when the call is authorised and when it is carried out. */
const askedOf = (ctx: ReadContext, input: InvalidationTarget): Promise<Asked> => {
  let found = asked.get(input);
  if (!found) {
    found = (async () => {
      const fields = await withFacts(ctx, targetFields(input));
      const target = resolveTarget(ctx.catalog, fields);
      return { fields, target, count: await countTarget(ctx, target, { withinMs: COUNT_WITHIN_MS }) };
    })();
    asked.set(input, found);
  }
  return found;
};

/**
 * What is guarded is told by what is named; of a pattern only by the keys that it meets. 409 where a flag is named that
 * two people change; one that a search meets is left alone (`walk.ts`).
 */
const needs = async (ctx: ReadContext, input: InvalidationTarget): Promise<Permission[]> => {
  const target = resolveTarget(ctx.catalog, input);
  if (reachOf(target).keys.some(flagsOfTwo(ctx))) throw new Problem('approval_required', SECOND_PERSON);
  if (namesSensitive(ctx.catalog, target)) return [SENSITIVE];
  if (target.family || reachOf(target).searches.length === 0) return [];
  return (await askedOf(ctx, input)).count.sensitive > 0 ? [SENSITIVE] : [];
};

/** Key names may hold secrets: the log has them masked. */
const labelOf = (input: InvalidationTarget, ctx: ReadContext): string =>
  resolveTarget(ctx.catalog, input).label;

const redact = ({ keyIds, family, params, pattern, entity }: InvalidationTarget) => ({
  family: family ?? null,
  params: Object.keys(params ?? {}),
  keys: keyIds?.length ?? 0,
  ...(pattern === undefined ? {} : { pattern: true }),
  ...(entity ? { entity: { kind: entity.kind, id: entity.id, branches: entity.branches ?? null } } : {}),
});

/** One invalidation of a family at a time, however it is narrowed: two would count each other's deletions. */
const sameWork = (input: InvalidationTarget, { family }: Target): object =>
  family ? { family: family.id } : targetFields(input);

/** caches.invalidate: deletes a target's keys as a job. */
export const invalidate = defineCommand({
  contract: cacheContracts.invalidate,
  target: labelOf,
  redact: (input) => ({ ...redact(input), withoutUndo: input.withoutUndo }),
  farReaching: () => true,
  needs,
  run: async (ctx, input) => {
    const { fields, target, count } = await askedOf(ctx, input);
    const undo = undoOf(count);
    if (!input.withoutUndo && !undo.possible)
      throw new Problem(
        'no_undo',
        `This could not be taken back: ${whyNot(undo)}. Send withoutUndo to do it.`,
      );
    const jobId = await enqueue(ctx, invalidationJob, {
      data: { target: fields, withoutUndo: input.withoutUndo, total: count.keys },
      same: sameWork(input, target),
      target: target.label,
      total: count.keys,
    });
    return { result: { jobId }, continues: true };
  },
  undo: beginRestoration,
});

const ofTtl = (input: { ttlSeconds: number; jitterSeconds: number; dryRun: boolean }): string =>
  `${input.ttlSeconds} s${input.jitterSeconds > 0 ? ` + up to ${input.jitterSeconds} s` : ''}${input.dryRun ? ' (dry run)' : ''}`;

/** caches.setTtl: gives keys without TTL one and shortens longer ones, as a job. */
export const setTtl = defineCommand({
  contract: cacheContracts.setTtl,
  target: (input, ctx) => `${labelOf(input, ctx)}: ${ofTtl(input)}`,
  redact: (input) => {
    const { ttlSeconds, jitterSeconds, dryRun } = input;
    return { ...redact(input), ttlSeconds, jitterSeconds, dryRun };
  },
  farReaching: ({ dryRun }) => !dryRun,
  dryRunIsJob: true,
  needs,
  run: async (ctx, input) => {
    const { fields, target, count } = await askedOf(ctx, input);
    const { ttlSeconds, jitterSeconds, dryRun } = input;
    const ttl = { ttlSeconds, jitterSeconds, dryRun };
    const data = { target: fields, ...ttl, total: count.keys };
    const same = { ...targetFields(input), ...ttl };
    const label = `${target.label}: ${ofTtl(input)}`;
    const jobId = await enqueue(ctx, ttlJob, { data, same, target: label, total: count.keys });
    return { result: { jobId }, continues: true };
  },
  undo: beginRestoration,
});
