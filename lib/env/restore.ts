import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badField, badInput, notFound } from '@/lib/errors';
import { isFlagVariable } from '@/lib/values/flag-source';
import { readValues } from '@/lib/values/string-value';
import { variableNames } from '@/lib/values/variable-names';
import { storeAll } from './backup';
import { type OpenedFile, openFile } from './backup-file';
import { undoChanges } from './changes';
import { variableMark } from './chart-mark';
import { execute, planResult } from './execute';
import { impactOfPlan } from './impact';
import { readSnapshot, type Snapshot } from './payload';
import { type Plan, type PlanInput, planChanges } from './plan';
import { MAX_BYTES } from './rules';
import { envContracts } from './schema';
import { openBackup } from './stored-backups';

type RestoreInput = Input<typeof envContracts.restore>;

const ERRORS: Record<(OpenedFile & { ok: false })['reason'], { path: string; message: string }> = {
  foreign: { path: 'file', message: 'Not a backup of variables.' },
  newer: { path: 'file', message: 'This backup was made by a newer version of Keyward.' },
  truncated: { path: 'file', message: 'This backup is incomplete.' },
  altered: { path: 'file', message: 'This backup was altered or damaged.' },
  passphrase: { path: 'passphrase', message: 'Wrong passphrase.' },
};

const fromFile = async (file: string, passphrase: string | undefined): Promise<Snapshot> => {
  if (!passphrase) throw badField('passphrase', 'Enter the passphrase of the file.');
  const opened = await openFile(Buffer.from(file, 'base64'), passphrase);
  if (!opened.ok) throw badInput([ERRORS[opened.reason]]);
  const snapshot = readSnapshot(opened.plain);
  if (!snapshot) throw badInput([ERRORS.newer]);
  return snapshot;
};

const fromStore = async (ctx: ReadContext, id: string): Promise<Snapshot> => {
  const opened = await openBackup(ctx.store, ctx.connection.config.id, id);
  if (opened.ok) return opened.snapshot;
  if (opened.reason === 'missing') throw notFound('This backup');
  const message = 'This backup was altered or made with another KEYWARD_SECRET_KEY, so it cannot be opened.';
  throw badField('id', message);
};

const snapshotOf = (ctx: ReadContext, { id, file, passphrase }: RestoreInput): Promise<Snapshot> => {
  if ((id === undefined) === (file === undefined))
    throw badField('id', 'Send either id or file with passphrase.');
  return file === undefined ? fromStore(ctx, id!) : fromFile(file, passphrase);
};

const inputOf = (name: string, bytes: Buffer | null, ttlSeconds: number | null = null): PlanInput => ({
  name,
  bytes,
  ttlSeconds,
  persists: bytes !== null && ttlSeconds === null,
  line: null,
  refusals: [],
  checkGuesses: false,
});

/** Deletions of variables that are not in the backup, if a backup could have held them. */
const deletions = async (ctx: ReadContext, snapshot: Snapshot): Promise<PlanInput[]> => {
  const known = new Set([...snapshot.variables.map(({ name }) => name), ...snapshot.skipped]);
  const names = (await variableNames(ctx, { fresh: true })).filter(({ name }) => !known.has(name));
  const values = await readValues(
    ctx.reader,
    names.map(({ key }) => key),
    1,
  );
  return names.flatMap(({ name }, index) => {
    const value = values[index];
    return value?.type === 'string' && value.length <= MAX_BYTES ? [inputOf(name, null)] : [];
  });
};

type Scope = Pick<RestoreInput, 'deleteOthers' | 'leaveFlags' | 'except'>;

const planRestore = async (
  ctx: ReadContext,
  snapshot: Snapshot,
  { deleteOthers, leaveFlags, except }: Scope,
): Promise<Plan> => {
  const restored = snapshot.variables.map(({ name, bytes, ttlSeconds }) => inputOf(name, bytes, ttlSeconds));
  const deleted = deleteOthers ? await deletions(ctx, snapshot) : [];
  const plan = await planChanges(
    ctx,
    [...restored, ...deleted]
      .filter(({ name }) => !(leaveFlags && isFlagVariable(ctx, name)))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
  const left = new Set(except);
  // The etag stays that of all lines: a preview lets its reader choose among them.
  return { ...plan, lines: plan.lines.filter(({ input }) => !left.has(input.name)) };
};

const sourceOf = ({ connection, at }: Snapshot) => ({ connection, at });

/** Backs up the current variables before a restore; if this fails, nothing is restored. */
const backUpCurrent = async (ctx: WriteContext): Promise<string> => {
  return (await storeAll(ctx, 'before-restore', ctx.now())).id;
};

const restore = async (ctx: WriteContext, input: RestoreInput) => {
  const snapshot = await snapshotOf(ctx, input);
  const replan = () => planRestore(ctx, snapshot, input);
  const done = await execute(ctx, await replan(), {
    etag: input.etag,
    anyway: true,
    path: input.id === undefined ? 'file' : 'id',
    replan,
    beforehand: async () => ({ backup: await backUpCurrent(ctx) }),
  });
  return { ...done, result: { ...done.result, source: sourceOf(snapshot) } };
};

/** env.restore: previews or restores a stored backup or a backup file. */
export const restoreVariablesCommand = defineCommand({
  contract: envContracts.restore,
  chartMark: variableMark('Variables restored'),
  target: ({ id }) => (id !== undefined && /^[0-9a-f-]{36}$/.test(id) ? `backup ${id}` : 'a backup file'),
  redact: ({ id, file, deleteOthers, leaveFlags, except }) => ({
    from: id === undefined ? 'file' : 'store',
    bytes: file?.length ?? 0,
    deleteOthers,
    leaveFlags,
    except: except.length,
  }),
  needsConfirmation: () => true,
  preview: async (ctx: ReadContext, input: RestoreInput) => {
    const snapshot = await snapshotOf(ctx, input);
    const plan = await planRestore(ctx, snapshot, input);
    return { ...planResult(plan, true), source: sourceOf(snapshot) };
  },
  impact: async (ctx, input) =>
    impactOfPlan(planResult(await planRestore(ctx, await snapshotOf(ctx, input), input), true)),
  actsAs: () => ['env.set', 'env.create', 'env.delete'],
  run: restore,
  undo: undoChanges,
});
