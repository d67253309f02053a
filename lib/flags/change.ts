import 'server-only';
import { maskSecrets } from '@/lib/catalog/mask';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { noString, readValue, readValues, type StoredValue } from '@/lib/values/string-value';
import { readBoolean, writeBoolean } from '@/lib/values/style';
import { forgetVariableNames } from '@/lib/values/variable-names';
import { flagKey, knownFlagNames } from './names';
import { forgetNotes, noteChange, readNotes, setDescription } from './notes';
import { cancelAllScheduled } from './scheduled-changes';
import type { STYLES } from './schema';
import { changed, fullText, missing, onText, stateOf, textEtag } from './state';

/** The value that the caller has seen: 404 when it is gone, 412 when it is another now. */
export const readExpected = async (ctx: WriteContext, name: string, etag: string): Promise<StoredValue> => {
  const key = flagKey(ctx, name);
  const value = key ? await readValue(ctx.reader, key) : null;
  if (!value) throw missing();
  if (value.etag !== etag) throw changed(name, value);
  return value;
};

/** The same, if it is a boolean: 409 otherwise. */
export const readSettable = async (
  ctx: WriteContext,
  name: string,
  etag: string,
): Promise<{ value: StoredValue; text: string }> => {
  const value = await readExpected(ctx, name, etag);
  if (value.type !== 'string') throw new Problem('conflict', noString(value.type));
  const text = fullText(value);
  if (text === null || readBoolean(text) === null)
    throw new Problem('conflict', "This flag's value is no boolean: change it as an environment variable.");
  return { value, text };
};

/** 412 or 404: somebody was quicker, between the reading and the writing. */
const changedOrMissing = async (ctx: WriteContext, name: string, value: StoredValue): Promise<Problem> => {
  const present = await readValue(ctx.reader, value.key);
  return present ? changed(name, present) : missing();
};

/** Who is said to have changed it; whoever acts unless given. */
interface By {
  by?: string;
}

/** Turns a flag on or off in the style in use. Two at once: exactly one wins, the other is told with 412. */
export const switchFlag = async (
  ctx: WriteContext,
  input: { name: string; enabled: boolean; etag: string } & By,
) => {
  const { name, enabled } = input;
  const { value, text } = await readSettable(ctx, name, input.etag);
  const raw = writeBoolean(text, enabled)!;
  const set = await ctx.writer.compareAndSet(value.key, value.bytes, Buffer.from(raw));
  if (!set.ok) throw await changedOrMissing(ctx, name, value);
  forgetVariableNames(ctx.connection);
  const etag = textEtag(raw);
  await noteChange(ctx, name, etag, input.by);
  return {
    result: { name, enabled, raw, etag },
    before: { enabled: readBoolean(text), raw: text },
    after: { enabled, raw } as Record<string, AuditJson>,
    undo: { name, from: text, to: raw },
  };
};

/** The text for "on" that most flags of the connection have; `true` where there is none. */
const majorityOn = async (ctx: WriteContext): Promise<string> => {
  const keys = (await knownFlagNames(ctx)).names.map(({ key }) => key);
  const counts = new Map<string, number>();
  for (const value of await readValues(ctx.reader, keys)) {
    const text = value ? fullText(value) : null;
    const on = text === null ? null : onText(text);
    if (on !== null) counts.set(on, (counts.get(on) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return most?.[0] ?? 'true';
};

/** The text a new flag gets: in the style given, else in that of the majority. */
export const newText = async (
  ctx: WriteContext,
  enabled: boolean,
  style?: (typeof STYLES)[number],
): Promise<string> => writeBoolean(style?.split('/')[0] ?? (await majorityOn(ctx)), enabled)!;

/** Creates a flag that is not there: 409 if it is, whatever it holds. */
export const createFlag = async (
  ctx: WriteContext,
  input: { name: string; enabled: boolean; raw: string; description?: string } & By,
) => {
  const { name, enabled, raw } = input;
  const key = flagKey(ctx, name);
  const set = key ? await ctx.writer.compareAndSet(key, null, Buffer.from(raw)) : null;
  if (!set?.ok) throw new Problem('conflict', `There is a flag ${name} already.`);
  forgetVariableNames(ctx.connection);
  const etag = textEtag(raw);
  await noteChange(ctx, name, etag, input.by);
  const description = maskSecrets(input.description?.trim() ?? '', false);
  if (description) await setDescription(ctx, name, description).catch(() => undefined);
  return {
    result: { name, enabled, raw, etag },
    after: { enabled, raw } as Record<string, AuditJson>,
    undo: { name, raw },
  };
};

/** What bringing a deleted flag back needs. */
const deletionUndo = async (ctx: WriteContext, name: string, value: StoredValue) => {
  const [memory] = (await readNotes(ctx, [name])) ?? [];
  return {
    name,
    value: value.bytes.toString('base64'),
    ttlMs: value.ttlSeconds === null ? null : value.ttlSeconds * 1000,
    description: memory?.description ?? null,
  };
};

/** Deletes a flag with what is planned for it. What could not be brought back is not deleted: 409. */
export const deleteFlag = async (ctx: WriteContext, { name, etag }: { name: string; etag: string }) => {
  const value = await readExpected(ctx, name, etag);
  if (value.type !== 'string' || value.bytes.length < value.length)
    throw new Problem(
      'conflict',
      value.type === 'string'
        ? `This flag's value has ${value.length} bytes, which is no flag: delete it as an environment variable.`
        : `This flag's key holds a ${value.type} where a string should be: it could not be brought back.`,
    );
  const undo = await deletionUndo(ctx, name, value);
  const deleted = await ctx.writer.compareAndSet(value.key, value.bytes, null);
  if (!deleted.ok) throw await changedOrMissing(ctx, name, value);
  forgetVariableNames(ctx.connection);
  const unscheduled = await cancelAllScheduled(ctx, name);
  await forgetNotes(ctx, name);
  return {
    result: { name, unscheduled },
    before: { ...stateOf(name, value), ttlSeconds: value.ttlSeconds },
    after: { unscheduled } as Record<string, AuditJson>,
    undo,
  };
};
