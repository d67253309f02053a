import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Outcome } from '@/lib/command/define';
import type { Result } from '@/lib/contract';
import { badField, badInput, Problem } from '@/lib/errors';
import { stepsNote } from '@/lib/redis/one-slot';
import { APPROVAL_REQUIRED } from '@/lib/values/two-person';
import { applyChanges, type Change, noUndoOf, undoRecordOf } from './changes';
import { mapYielding, type Plan } from './plan';
import { refuseDoubts } from './rules';
import type { envContracts } from './schema';
import { auditName, recordChange } from './secrecy';

type DiffResult = Result<typeof envContracts.import>;

/** Variables changed in one script, which blocks the server for about 20 ms. */
const MAX_CHANGES = 10_000;
const MAX_ERRORS = 200;

/** The plan as the API returns it, for a preview and after execution. */
export const planResult = (
  { lines, etag }: Plan,
  dryRun: boolean,
): Omit<DiffResult, 'auditId' | 'undoUntil'> => {
  const diff = lines.map(({ shown }) => shown);
  const count = (change: (typeof diff)[number]['change']): number =>
    diff.filter((line) => line.change === change).length;
  return {
    dryRun,
    diff,
    created: count('create'),
    updated: count('update'),
    deleted: count('delete'),
    unchanged: count('same'),
    refused: count('refused'),
    etag,
  };
};

const stale = (etag: string): Problem =>
  new Problem('changed', 'Variables changed since this preview. Preview again.', {
    extensions: { etag },
  });

/** 400 with every refused line; 409 `approval_required` if the only obstacle is a missing approval. */
const refuseLines = ({ lines, needsApproval }: Plan, path: string): void => {
  const refused = lines.filter(({ shown }) => shown.change === 'refused');
  if (refused.length === 0) return;
  const errors = refused.flatMap(({ shown: { name, problems } }) =>
    problems.map(({ line, message }) => ({
      path,
      message: line === null ? `${auditName(name)}: ${message}` : `line ${line}: ${message}`,
    })),
  );
  if (needsApproval && errors.every(({ message }) => message.endsWith(APPROVAL_REQUIRED)))
    throw new Problem('approval_required', APPROVAL_REQUIRED, { extensions: { errors } });
  throw badInput(errors.slice(0, MAX_ERRORS));
};

/** 409 with every failed check that is only a guess, unless `anyway`. */
const refuseDoubtful = ({ lines }: Plan, anyway: boolean): void => {
  const doubts = lines
    .filter(({ change }) => change !== null)
    .flatMap(({ input: { name, line }, doubts }) =>
      doubts.map(({ code, message }) => ({
        code,
        message: `${line === null ? auditName(name) : `line ${line}`}: ${message}`,
      })),
    );
  refuseDoubts(doubts.slice(0, MAX_ERRORS), anyway);
};

/** Characters of changes in one audit entry; beyond, only names are recorded. */
const MAX_RECORDED = 100_000;
const MAX_VALUE = 80;

const recordOf = (changes: readonly Change[]): Promise<AuditJson[]> => {
  let size = 0;
  const record = ({ name, before, after, setsTtl }: Change): AuditJson => {
    const part = after && { type: 'string', bytes: after, length: after.length };
    const values = recordChange(name, before, part, MAX_VALUE);
    const ttl: Record<string, AuditJson> = setsTtl ? { ttlTakenAway: before?.ttlSeconds ?? null } : {};
    const full = { name: auditName(name), from: values.before, to: values.after, ...ttl };
    size += JSON.stringify(full).length;
    return size > MAX_RECORDED ? { name: full.name } : full;
  };
  return mapYielding(
    changes,
    ({ before, after }) => (before?.bytes.length ?? 0) + (after?.length ?? 0),
    record,
  );
};

export interface Execute {
  /** Etag of the preview the caller has seen, if any. */
  etag: string | undefined;
  anyway: boolean;
  /** Input field that errors refer to. */
  path: string;
  /** Plans again, for the etag in a 412 response. */
  replan: () => Promise<Plan>;
  /** Runs before any change; its result is recorded in the audit entry. */
  beforehand?: () => Promise<AuditJson>;
}

/**
 * Executes a plan completely or not at all; between slots of a cluster in steps, which a failure may leave incomplete.
 * 400 or 409 for refused lines, 412 if variables changed since the preview.
 */
export const execute = async (
  ctx: WriteContext,
  plan: Plan,
  { etag, anyway, path, replan, beforehand }: Execute,
): Promise<Outcome<DiffResult>> => {
  if (etag !== undefined && etag !== plan.etag) throw stale(plan.etag);
  refuseLines(plan, path);
  refuseDoubtful(plan, anyway);
  const changes = plan.lines.flatMap(({ change }) => (change ? [change] : []));
  if (changes.length > MAX_CHANGES)
    throw badField(path, `This changes ${changes.length} variables; at most ${MAX_CHANGES} are allowed.`);
  const before = changes.length > 0 ? await beforehand?.() : undefined;
  const applied = await applyChanges(ctx, changes);
  if (!applied.ok) throw stale((await replan()).etag);
  const record = undoRecordOf(changes);
  const result = planResult(plan, false);
  const { created, updated, deleted } = result;
  return {
    result: { ...result, noUndo: noUndoOf(record) },
    ...(before === undefined ? {} : { before }),
    after: {
      created,
      updated,
      deleted,
      changes: await recordOf(changes),
      ...stepsNote(
        ctx.connection,
        changes.map(({ key }) => key),
      ),
    },
    ...(changes.length > 0 ? record : {}),
  };
};
