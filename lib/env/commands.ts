import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand, type Undone } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badField, Problem } from '@/lib/errors';
import { inOneSlot, stepsNote } from '@/lib/redis/one-slot';
import { noteChanges } from '@/lib/values/change-notes';
import { forgetNames } from '@/lib/values/named-keys';
import { notStringReason, type StoredValue } from '@/lib/values/string-value';
import { refuseUnapproved } from '@/lib/values/two-person';
import { variableKey } from '@/lib/values/variable-names';
import { renameApart } from './apart';
import {
  applyChanges,
  changedSince,
  etagOfBytes,
  listedEtag,
  noUndoOf,
  readEditable,
  readForEdit,
  refusalNow,
  undoChanges,
  undoRecordOf,
} from './changes';
import { variableMark } from './chart-mark';
import { doubt } from './doubts';
import { impactOfDeletion, impactOfRename, impactOfValue } from './impact';
import { keptBefore } from './kept-value';
import { nameDoubts, newBytes, problemsOf, refuseDoubts, styleHint, valueDoubts } from './rules';
import { envContracts, type VariableProblem } from './schema';
import { auditName, fullText, recordChange, secretBy, stringPart } from './secrecy';

const mustBeString = (value: StoredValue): void => {
  if (value.type === 'string') return;
  throw new Problem('conflict', `${notStringReason(value.type)} It cannot be set.`);
};

type SetInput = Input<typeof envContracts.set>;

/** The input with the value that it only names. */
const withValue = async (ctx: ReadContext, input: SetInput): Promise<SetInput> => {
  const { name, valueBefore, value, valueBase64 } = input;
  if (valueBefore === undefined) return input;
  if ((value ?? valueBase64) !== undefined)
    throw badField('valueBefore', 'Send either a value or valueBefore.');
  return { ...input, valueBase64: await keptBefore(ctx, { name, valueBefore }) };
};

const setVariable = async (ctx: WriteContext, input: SetInput) => {
  const { name, etag, anyway } = input;
  refuseUnapproved(ctx, name);
  const bytes = newBytes(await withValue(ctx, input));
  const before = await readForEdit(ctx, name, etag);
  mustBeString(before);
  refuseDoubts(valueDoubts(name, bytes), anyway);
  const change = { name, key: before.key, before, after: bytes };
  const applied = await applyChanges(ctx, [change]);
  if (!applied.ok) throw await refusalNow(ctx, name, before.key);
  const record = undoRecordOf([change]);
  const after = { ...stringPart(bytes), ttlSeconds: before.ttlSeconds };
  return {
    result: {
      name,
      etag: etagOfBytes(bytes),
      problems: [...problemsOf(name, after), ...styleHint(before.bytes, bytes)],
      noUndo: noUndoOf(record),
    },
    ...recordChange(name, before, after),
    ...record,
  };
};

/** env.set: 412 with the current value if it changed since the caller read it. */
export const setVariableCommand = defineCommand({
  contract: envContracts.set,
  chartMark: variableMark('Variable changed'),
  target: ({ name }) => auditName(name),
  redact: ({ name, anyway }) => ({ name: auditName(name), anyway }),
  impact: async (ctx, input) => impactOfValue(ctx, await withValue(ctx, input)),
  run: setVariable,
  undo: undoChanges,
  undoNeedsNoConfirmation: true,
});

/** 409 for a name in use, with the current value if it is not secret. */
const taken = async (ctx: WriteContext, name: string, present: StoredValue | null): Promise<Problem> => {
  const extensions = present ? (await changedSince(ctx, name, present)).extensions : {};
  return new Problem('conflict', 'A variable with this name already exists.', { extensions });
};

const createVariable = async (ctx: WriteContext, input: Input<typeof envContracts.create>) => {
  const { name, anyway } = input;
  refuseUnapproved(ctx, name);
  const bytes = newBytes(input);
  const key = variableKey(ctx, name);
  if (!key) throw badField('name', 'No variable can have this name.');
  const present = await readEditable(ctx, key);
  if (present) throw await taken(ctx, name, present);
  refuseDoubts([...nameDoubts(name), ...valueDoubts(name, bytes)], anyway);
  const change = { name, key, before: null, after: bytes };
  const applied = await applyChanges(ctx, [change]);
  if (!applied.ok) throw await taken(ctx, name, await readEditable(ctx, key));
  const after = { ...stringPart(bytes), ttlSeconds: null };
  return {
    result: { name, etag: etagOfBytes(bytes), problems: problemsOf(name, after) },
    ...recordChange(name, null, after),
    ...undoRecordOf([change]),
  };
};

export const createVariableCommand = defineCommand({
  contract: envContracts.create,
  chartMark: variableMark('Variable created'),
  target: ({ name }) => auditName(name),
  redact: ({ name, anyway }) => ({ name: auditName(name), anyway }),
  impact: impactOfValue,
  run: createVariable,
  undo: undoChanges,
});

const deleteVariable = async (ctx: WriteContext, { name, etag }: Input<typeof envContracts.delete>) => {
  refuseUnapproved(ctx, name);
  const before = await readForEdit(ctx, name, etag);
  const change = { name, key: before.key, before, after: null };
  const applied = await applyChanges(ctx, [change]);
  if (!applied.ok) throw await refusalNow(ctx, name, before.key);
  const record = undoRecordOf([change]);
  return {
    result: { name, etag: null, noUndo: noUndoOf(record) },
    ...recordChange(name, before, null),
    ...record,
  };
};

/** env.delete: undo restores value and TTL unless the variable was created again. */
export const deleteVariableCommand = defineCommand({
  contract: envContracts.delete,
  chartMark: variableMark('Variable deleted'),
  target: ({ name }) => auditName(name),
  redact: ({ name }) => ({ name: auditName(name) }),
  needsConfirmation: () => true,
  impact: impactOfDeletion,
  run: deleteVariable,
  undo: undoChanges,
});

/** Warns if the new name is no longer secret: the value would become visible to everyone with `env:view`. */
const exposes = (name: string, newName: string, value: StoredValue): VariableProblem[] =>
  secretBy(name, value) !== null && secretBy(newName, value) === null
    ? [{ code: 'name', ...doubt('exposed') }]
    : [];

/** Renames the key of `value`, if it is unchanged and the new name is free. */
const move = async (ctx: WriteContext, name: string, value: StoredValue, newName: string) => {
  const newKey = variableKey(ctx, newName);
  if (!newKey) throw badField('newName', 'No variable can have this name.');
  const moved = !inOneSlot(ctx.connection, [value.key, newKey])
    ? await renameApart(ctx, value, newKey)
    : await ctx.writer.applyAll([
        { key: value.key, expected: value, change: 'keep' },
        { key: newKey, expected: null, change: { renameFrom: 0 } },
      ]);
  if (!moved.ok) return moved;
  forgetNames(ctx.connection);
  await noteChanges(ctx, [
    { name, etag: null },
    { name: newName, etag: listedEtag(value) },
  ]);
  return moved;
};

const renameVariable = async (ctx: WriteContext, input: Input<typeof envContracts.rename>) => {
  const { name, newName, etag, anyway } = input;
  refuseUnapproved(ctx, name, newName);
  if (name === newName) throw badField('newName', 'This is the current name.');
  const value = await readForEdit(ctx, name, etag);
  const text = fullText(value);
  const doubts = text === null ? [] : valueDoubts(newName, value.bytes);
  refuseDoubts([...nameDoubts(newName), ...exposes(name, newName, value), ...doubts], anyway);
  const moved = await move(ctx, name, value, newName);
  if (!moved.ok) {
    if (moved.index === 0) throw await refusalNow(ctx, name, value.key);
    throw new Problem('conflict', 'A variable with the new name already exists.');
  }
  return {
    result: { name: newName, etag: listedEtag(value), problems: problemsOf(newName, value) },
    before: { name: auditName(name) },
    after: {
      name: auditName(newName),
      ...stepsNote(ctx.connection, [value.key, variableKey(ctx, newName)!]),
    },
    undo: { name, newName, etag: value.etag },
  };
};

const renameUndo = z.object({ name: z.string(), newName: z.string(), etag: z.string() });

const undoRename = async (ctx: WriteContext, record: unknown): Promise<Undone> => {
  const { name, newName, etag } = renameUndo.parse(record);
  refuseUnapproved(ctx, name, newName);
  const conflict = (why: string): Undone => ({ undone: 0, conflicts: [{ what: auditName(newName), why }] });
  const value = await readForEdit(ctx, newName, etag).catch((error: unknown) => {
    if (error instanceof Problem && (error.code === 'changed' || error.code === 'not_found')) return error;
    throw error;
  });
  if (value instanceof Error)
    return conflict(value.code === 'changed' ? 'It was changed since.' : 'It was deleted since.');
  const moved = await move(ctx, newName, value, name);
  if (moved.ok) return { undone: 1, conflicts: [] };
  return conflict(moved.index === 0 ? 'It was changed since.' : 'A variable with the old name exists again.');
};

/** env.rename: one atomic RENAME, so the value never passes through Keyward; in a cluster a copy, because slots differ. */
export const renameVariableCommand = defineCommand({
  contract: envContracts.rename,
  chartMark: variableMark('Variable renamed'),
  target: ({ name }) => auditName(name),
  redact: ({ name, newName, anyway }) => ({ name: auditName(name), newName: auditName(newName), anyway }),
  impact: impactOfRename,
  actsAs: () => ['env.create', 'env.delete'],
  run: renameVariable,
  undo: undoRename,
  undoNeedsNoConfirmation: true,
});
