import 'server-only';
import { refuseRuledKeys } from '@/lib/command/approval-keys';
import type { ReadContext } from '@/lib/command/context';
import { defineCommand, type Impact } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { enqueue } from '@/lib/jobs/enqueue';
import type { Permission } from '@/lib/permissions';
import { APPROVAL_REQUIRED, approvalFlagMatcher } from '@/lib/values/two-person';
import { SENSITIVE } from './guarded';
import { invalidationJob } from './invalidation-job';
import { noUndoReason, requestOf, targetFields, undoOf } from './request';
import { startRestoration } from './restore-job';
import { familyContracts, type InvalidationTarget } from './schema';
import { includedIn, type Target } from './target';
import { ttlJob } from './ttl-job';

/** 409 when the target names keys that need approval. Those found by a search are skipped (`batches.ts`). */
const needs = async (ctx: ReadContext, input: InvalidationTarget): Promise<Permission[]> => {
  const request = await requestOf(ctx, input);
  const named = includedIn(request.target).flatMap(({ keys }) => keys);
  if (named.some(approvalFlagMatcher(ctx))) throw new Problem('approval_required', APPROVAL_REQUIRED);
  refuseRuledKeys(ctx, named);
  return (await request.isSensitive()) ? [SENSITIVE] : [];
};

/** Key names may contain secrets, so the label has them masked. */
const labelOf = async (input: InvalidationTarget, ctx: ReadContext): Promise<string> =>
  (await requestOf(ctx, input)).target.label;

const redact = ({ keyIds, family, params, pattern, entity }: InvalidationTarget) => ({
  family: family ?? null,
  params: Object.keys(params ?? {}),
  keys: keyIds?.length ?? 0,
  ...(pattern === undefined ? {} : { pattern: true }),
  ...(entity ? { entity: { kind: entity.kind, id: entity.id, branches: entity.branches ?? null } } : {}),
});

/** One invalidation per family at a time, however it is narrowed: two would count each other's deletions. */
const sameWork = (input: InvalidationTarget, { family }: Target): object =>
  family ? { family: family.id } : targetFields(input);

const impact = async (ctx: ReadContext, input: InvalidationTarget): Promise<Impact> => {
  const { keys, error, exact, memoryBytes } = await (await requestOf(ctx, input)).count();
  return { count: keys + (error ?? 0), facts: { keys, exact, memoryBytes } };
};

/** families.invalidate: deletes a target's keys in a job. */
export const invalidate = defineCommand({
  contract: familyContracts.invalidate,
  target: labelOf,
  redact: (input) => ({ ...redact(input), withoutUndo: input.withoutUndo }),
  needsConfirmation: () => true,
  needs,
  impact,
  run: async (ctx, input) => {
    const request = await requestOf(ctx, input);
    const { fields, target } = request;
    const count = await request.count();
    const undo = undoOf(count);
    if (!input.withoutUndo && !undo.possible)
      throw new Problem(
        'no_undo',
        `This could not be undone: ${noUndoReason(undo)}. Send withoutUndo to do it anyway.`,
      );
    const jobId = await enqueue(ctx, invalidationJob, {
      data: { target: fields, withoutUndo: input.withoutUndo, total: count.keys },
      same: sameWork(input, target),
      target: target.label,
      total: count.keys,
      needs: await needs(ctx, input),
    });
    return { result: { jobId }, continues: true };
  },
  undo: startRestoration,
});

const ttlLabel = (input: { ttlSeconds: number; jitterSeconds: number; dryRun: boolean }): string =>
  `${input.ttlSeconds} s${input.jitterSeconds > 0 ? ` + up to ${input.jitterSeconds} s` : ''}${input.dryRun ? ' (dry run)' : ''}`;

/** families.setTtl: adds a TTL to keys without one and shortens longer ones, in a job. */
export const setTtl = defineCommand({
  contract: familyContracts.setTtl,
  target: async (input, ctx) => `${await labelOf(input, ctx)}: ${ttlLabel(input)}`,
  redact: (input) => {
    const { ttlSeconds, jitterSeconds, dryRun } = input;
    return { ...redact(input), ttlSeconds, jitterSeconds, dryRun };
  },
  needsConfirmation: ({ dryRun }) => !dryRun,
  dryRunIsJob: true,
  needs,
  impact,
  // A short TTL is a deletion.
  actsAs: () => ['families.invalidate'],
  run: async (ctx, input) => {
    const request = await requestOf(ctx, input);
    const { fields, target } = request;
    const count = await request.count();
    const { ttlSeconds, jitterSeconds, dryRun } = input;
    const ttl = { ttlSeconds, jitterSeconds, dryRun };
    const data = { target: fields, ...ttl, total: count.keys };
    const same = { ...targetFields(input), ...ttl };
    const label = `${target.label}: ${ttlLabel(input)}`;
    const work = { data, same, target: label, total: count.keys, needs: await needs(ctx, input) };
    const jobId = await enqueue(ctx, ttlJob, work);
    return { result: { jobId }, continues: true };
  },
  undo: startRestoration,
});
