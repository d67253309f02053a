import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badInput, notFound } from '@/lib/errors';
import { readValues } from '@/lib/values/string-value';
import { isFlagName, variableNames } from '@/lib/values/variable-names';
import { type OpenedFile, openFile } from './backup-file';
import { undoChanges } from './changes';
import { variableMark } from './chart-mark';
import { answerPlan, execute } from './execute';
import { readSnapshot, type Snapshot, takeSnapshot } from './payload';
import { readAll } from './plaintext';
import { type Plan, planChanges, type Wanted } from './plan';
import { MAX_BYTES } from './rules';
import { envContracts } from './schema';
import { openBackup, storeBackup } from './stored-backups';

type RestoreInput = Input<typeof envContracts.restore>;

const WHY: Record<(OpenedFile & { ok: false })['why'], { path: string; message: string }> = {
  foreign: { path: 'file', message: 'This is no backup of variables.' },
  newer: { path: 'file', message: 'This backup was made by a newer version of the console.' },
  'cut-short': { path: 'file', message: 'This backup is cut short.' },
  altered: { path: 'file', message: 'This backup was altered or damaged.' },
  passphrase: { path: 'passphrase', message: 'This is not the passphrase of the backup.' },
};

const fromFile = async (file: string, passphrase: string | undefined): Promise<Snapshot> => {
  if (!passphrase) throw badInput([{ path: 'passphrase', message: 'A file needs its passphrase.' }]);
  const opened = await openFile(Buffer.from(file, 'base64'), passphrase);
  if (!opened.ok) throw badInput([WHY[opened.why]]);
  const snapshot = readSnapshot(opened.plain);
  if (!snapshot) throw badInput([WHY.newer]);
  return snapshot;
};

const fromStore = async (ctx: ReadContext, id: string): Promise<Snapshot> => {
  const opened = await openBackup(ctx.store, ctx.connection.config.id, id);
  if (opened.ok) return opened.snapshot;
  if (opened.why === 'gone') throw notFound('This backup');
  const message = 'This backup was altered, or made under another KEYWARD_SECRET_KEY: it cannot be opened.';
  throw badInput([{ path: 'id', message }]);
};

const snapshotOf = (ctx: ReadContext, { id, file, passphrase }: RestoreInput): Promise<Snapshot> => {
  if ((id === undefined) === (file === undefined))
    throw badInput([{ path: 'id', message: 'Send either id or file with passphrase.' }]);
  return file === undefined ? fromStore(ctx, id!) : fromFile(file, passphrase);
};

const wanted = (name: string, bytes: Buffer | null, ttlSeconds: number | null = null): Wanted => ({
  name,
  bytes,
  ttlSeconds,
  persists: bytes !== null && ttlSeconds === null,
  line: null,
  refusals: [],
  guessed: false,
});

/** What is there and not in the backup, as far as a backup could have held it: other things are left alone. */
const others = async (ctx: ReadContext, snapshot: Snapshot): Promise<Wanted[]> => {
  const known = new Set([...snapshot.variables.map(({ name }) => name), ...snapshot.skipped]);
  const names = (await variableNames(ctx, { fresh: true })).filter(({ name }) => !known.has(name));
  const values = await readValues(
    ctx.reader,
    names.map(({ key }) => key),
    1,
  );
  return names.flatMap(({ name }, index) => {
    const value = values[index];
    return value?.type === 'string' && value.length <= MAX_BYTES ? [wanted(name, null)] : [];
  });
};

type Which = Pick<RestoreInput, 'deleteOthers' | 'leaveFlags'>;

const planRestore = async (
  ctx: ReadContext,
  snapshot: Snapshot,
  { deleteOthers, leaveFlags }: Which,
): Promise<Plan> => {
  const back = snapshot.variables.map(({ name, bytes, ttlSeconds }) => wanted(name, bytes, ttlSeconds));
  const goes = deleteOthers ? await others(ctx, snapshot) : [];
  return planChanges(
    ctx,
    [...back, ...goes]
      .filter(({ name }) => !(leaveFlags && isFlagName(name)))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
};

const sourceOf = ({ connection, at }: Snapshot) => ({ connection, at });

const MAX_KEPT = 64 * 2 ** 20;

/** What a restore replaces is kept first: if that fails, nothing is restored. */
const backUpPresent = async (ctx: WriteContext): Promise<string> => {
  const { variables, skipped } = await readAll(ctx, MAX_KEPT);
  const snapshot = takeSnapshot(ctx.connection.config.id, ctx.now(), variables, skipped);
  return storeBackup(ctx.store, 'before-restore', snapshot, ctx.now());
};

const restore = async (ctx: WriteContext, input: RestoreInput) => {
  const snapshot = await snapshotOf(ctx, input);
  const again = () => planRestore(ctx, snapshot, input);
  const done = await execute(ctx, await again(), {
    etag: input.etag,
    anyway: true,
    path: input.id === undefined ? 'file' : 'id',
    again,
    first: async () => ({ backup: await backUpPresent(ctx) }),
  });
  return { ...done, result: { ...done.result, source: sourceOf(snapshot) } };
};

/** Puts back a kept backup or a file: what it would change, or all of it at once. */
export const restoreVariablesCommand = defineCommand({
  contract: envContracts.restore,
  chartMark: variableMark('Variables restored'),
  target: ({ id }) => (id !== undefined && /^[0-9a-f-]{36}$/.test(id) ? `backup ${id}` : 'a backup file'),
  redact: ({ id, file, deleteOthers, leaveFlags }) => ({
    from: id === undefined ? 'file' : 'store',
    bytes: file?.length ?? 0,
    deleteOthers,
    leaveFlags,
  }),
  needsConfirmation: () => true,
  preview: async (ctx: ReadContext, input: RestoreInput) => {
    const snapshot = await snapshotOf(ctx, input);
    const plan = await planRestore(ctx, snapshot, input);
    return { ...answerPlan(plan, true), source: sourceOf(snapshot) };
  },
  run: restore,
  undo: undoChanges,
});
