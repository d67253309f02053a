import 'server-only';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Undone } from '@/lib/command/define';
import { forgetNames } from '@/lib/values/named-keys';
import { etagOf } from '@/lib/values/string-value';
import { flagKey } from './names';
import { forgetNotes, NO_ABOUT, noteChange, readNotes, setAbout } from './notes';
import { cancelAllScheduled } from './scheduled-changes';
import { flagAbout } from './schema';
import { textEtag } from './state';

const conflict = (what: string, why: string): Undone => ({ undone: 0, conflicts: [{ what, why }] });
const DELETED = 'It was deleted since.';
const CHANGED = 'It was changed since.';

const switchUndo = z.object({ name: z.string(), from: z.string(), to: z.string() });

/** Undoes flags.set: restores the previous text. */
export const undoSwitch = async (ctx: WriteContext, before: AuditJson): Promise<Undone> => {
  const { name, from, to } = switchUndo.parse(before);
  const key = flagKey(ctx, name);
  const set = key ? await ctx.writer.compareAndSet(key, Buffer.from(to), Buffer.from(from)) : null;
  if (!set?.ok) return conflict(name, set?.reason === 'changed' && set.present === null ? DELETED : CHANGED);
  forgetNames(ctx.connection);
  await noteChange(ctx, name, textEtag(from));
  return { undone: 1, conflicts: [] };
};

const creationUndo = z.object({ name: z.string(), raw: z.string() });

/** Undoes flags.create: deletes the flag if its value is unchanged. */
export const undoCreation = async (ctx: WriteContext, before: AuditJson): Promise<Undone> => {
  const { name, raw } = creationUndo.parse(before);
  const key = flagKey(ctx, name);
  const set = key ? await ctx.writer.compareAndSet(key, Buffer.from(raw), null) : null;
  if (!set?.ok) return conflict(name, set?.reason === 'changed' && set.present === null ? DELETED : CHANGED);
  forgetNames(ctx.connection);
  await cancelAllScheduled(ctx, name);
  await forgetNotes(ctx, name);
  return { undone: 1, conflicts: [] };
};

/** Records from before flags had an owner, a kind and tags hold the description alone. */
const storedAbout = z.union([
  flagAbout,
  z
    .string()
    .nullable()
    .transform((description) => ({ ...NO_ABOUT, description })),
]);

const deletionUndo = z.object({
  name: z.string(),
  value: z.base64(),
  ttlMs: z.number().nullable(),
  description: storedAbout,
});

/** Undoes flags.delete: restores value, remaining TTL and what was noted about it, but not the scheduled changes. */
export const undoDeletion = async (ctx: WriteContext, before: AuditJson): Promise<Undone> => {
  const { name, value, ttlMs, description } = deletionUndo.parse(before);
  const key = flagKey(ctx, name);
  const bytes = Buffer.from(value, 'base64');
  const set = key
    ? await ctx.writer.applyAll([{ key, expected: null, change: { set: bytes, ttlMs } }])
    : null;
  if (!set?.ok) return conflict(name, 'Someone created it again.');
  forgetNames(ctx.connection);
  await noteChange(ctx, name, etagOf('string', bytes.length, bytes));
  await setAbout(ctx, name, description).catch(() => undefined);
  return { undone: 1, conflicts: [] };
};

const descriptionUndo = z.object({
  name: z.string(),
  from: storedAbout,
  to: storedAbout,
});

export const undoDescription = async (ctx: WriteContext, before: AuditJson): Promise<Undone> => {
  const { name, from, to } = descriptionUndo.parse(before);
  const [notes] = (await readNotes(ctx, [name])) ?? [];
  if (!isDeepStrictEqual(notes?.about, to)) return conflict(name, CHANGED);
  await setAbout(ctx, name, from);
  return { undone: 1, conflicts: [] };
};
