import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Outcome } from '@/lib/command/define';
import type { Result } from '@/lib/contract';
import { badInput, Problem } from '@/lib/errors';
import { APPROVAL_REQUIRED } from '@/lib/values/two-person';
import { applyChanges, type Change, noUndoOf, undoRecordOf } from './changes';
import { inSteps, type Plan } from './plan';
import { refuseDoubts } from './rules';
import type { envContracts } from './schema';
import { auditName, recordChange } from './secrecy';

type DiffResult = Result<typeof envContracts.import>;

/** What one step may change: one script holds the server for as long as it takes, here some 20 ms. */
const MAX_CHANGES = 10_000;
const MAX_ERRORS = 200;

/** A plan as it is answered: as a preview, and after it was carried out. */
export const answerPlan = (
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
  new Problem('changed', 'What is there changed since you saw what would be done. Look at it again.', {
    extensions: { etag },
  });

/** 400 with every line that cannot be, 409 where a second person is all it lacks. */
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

/** 409 with every guess that speaks against it, unless it is wanted anyway. */
const refuseDoubtful = ({ lines }: Plan, anyway: boolean): void => {
  const doubts = lines
    .filter(({ change }) => change !== null)
    .flatMap(({ wanted: { name, line }, doubts }) =>
      doubts.map(({ code, message }) => ({
        code,
        message: `${line === null ? auditName(name) : `line ${line}`}: ${message}`,
      })),
    );
  refuseDoubts(doubts.slice(0, MAX_ERRORS), anyway);
};

/** Characters of audit entries that list many changes; beyond, only the names are kept. */
const MAX_RECORDED = 100_000;
const MAX_VALUE = 80;

const recordOf = (changes: readonly Change[]): Promise<AuditJson[]> => {
  let size = 0;
  const record = ({ name, before, after, setsTtl }: Change): AuditJson => {
    const part = after && { type: 'string', bytes: after, length: after.length };
    const values = recordChange(name, before, part, MAX_VALUE);
    const ttl: Record<string, AuditJson> = setsTtl ? { ttlTakenAway: before?.ttlSeconds ?? null } : {};
    const whole = { name: auditName(name), from: values.before, to: values.after, ...ttl };
    size += JSON.stringify(whole).length;
    return size > MAX_RECORDED ? { name: whole.name } : whole;
  };
  return inSteps(changes, ({ before, after }) => (before?.bytes.length ?? 0) + (after?.length ?? 0), record);
};

export interface Execute {
  /** Of the preview the caller has seen, if any. */
  etag: string | undefined;
  anyway: boolean;
  /** The field errors are about. */
  path: string;
  /** The same plan beside what is there by then, for who was overtaken. */
  again: () => Promise<Plan>;
  /** Done before anything is changed; its result goes into the record. */
  first?: () => Promise<AuditJson>;
}

/** Carries a plan out, all of it or nothing: 400, 409 or 412 where something is against it. */
export const execute = async (
  ctx: WriteContext,
  plan: Plan,
  { etag, anyway, path, again, first }: Execute,
): Promise<Outcome<DiffResult>> => {
  if (etag !== undefined && etag !== plan.etag) throw stale(plan.etag);
  refuseLines(plan, path);
  refuseDoubtful(plan, anyway);
  const changes = plan.lines.flatMap(({ change }) => (change ? [change] : []));
  if (changes.length > MAX_CHANGES)
    throw badInput([{ path, message: `This changes ${changes.length} variables; ${MAX_CHANGES} at most.` }]);
  const before = changes.length > 0 ? await first?.() : undefined;
  const applied = await applyChanges(ctx, changes);
  if (!applied.ok) throw stale((await again()).etag);
  const keeping = undoRecordOf(changes);
  const result = answerPlan(plan, false);
  const { created, updated, deleted } = result;
  return {
    result: { ...result, noUndo: noUndoOf(keeping) },
    ...(before === undefined ? {} : { before }),
    after: { created, updated, deleted, changes: await recordOf(changes) },
    ...(changes.length > 0 ? keeping : {}),
  };
};
