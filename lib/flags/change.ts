import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { maskSecrets } from '@/lib/keyspace/mask';
import { forgetNames } from '@/lib/values/named-keys';
import { notStringReason, readValue, readValues, type StoredValue } from '@/lib/values/string-value';
import { readBoolean, writeBoolean } from '@/lib/values/style';
import { flagKey, knownFlagNames } from './names';
import { forgetNotes, NO_ABOUT, noteChange, readNotes, setAbout } from './notes';
import { cancelAllScheduled } from './scheduled-changes';
import type { STYLES } from './schema';
import { changed, fullText, missing, onText, stateOf, textEtag } from './state';

/** The value with this etag: 404 if the flag does not exist, 412 if the value changed. */
export const readExpected = async (ctx: WriteContext, name: string, etag: string): Promise<StoredValue> => {
  const key = flagKey(ctx, name);
  const value = key ? await readValue(ctx.reader, key) : null;
  if (!value) throw missing();
  if (value.etag !== etag) throw changed(name, value);
  return value;
};

/** Like `readExpected`, but 409 if the value is not a boolean. */
export const readSettable = async (
  ctx: WriteContext,
  name: string,
  etag: string,
): Promise<{ value: StoredValue; text: string }> => {
  const value = await readExpected(ctx, name, etag);
  if (value.type !== 'string') throw new Problem('conflict', notStringReason(value.type));
  const text = fullText(value);
  if (text === null || readBoolean(text) === null)
    throw new Problem('conflict', "This flag's value is not a boolean: edit it as an environment variable.");
  return { value, text };
};

/** The error for a compare-and-set that failed: 412 if the value changed since it was read, 404 if it was deleted. */
const changedOrMissing = async (ctx: WriteContext, name: string, value: StoredValue): Promise<Problem> => {
  const present = await readValue(ctx.reader, value.key);
  return present ? changed(name, present) : missing();
};

/** Name recorded as the author of the change; the actor's unless given. */
interface By {
  by?: string;
}

/** Turns a flag on or off in its stored format. Of two concurrent changes one succeeds, the other gets 412. */
export const switchFlag = async (
  ctx: WriteContext,
  input: { name: string; enabled: boolean; etag: string } & By,
) => {
  const { name, enabled } = input;
  const { value, text } = await readSettable(ctx, name, input.etag);
  const raw = writeBoolean(text, enabled)!;
  const set = await ctx.writer.compareAndSet(value.key, value.bytes, Buffer.from(raw));
  if (!set.ok) throw await changedOrMissing(ctx, name, value);
  forgetNames(ctx.connection);
  const etag = textEtag(raw);
  await noteChange(ctx, name, etag, input.by);
  return {
    result: { name, enabled, raw, etag },
    before: { enabled: readBoolean(text), raw: text },
    after: { enabled, raw } as Record<string, AuditJson>,
    undo: { name, from: text, to: raw },
  };
};

/** The most frequent spelling of "on" among the connection's flags; `true` if there are none. */
const majorityOn = async (ctx: WriteContext): Promise<string> => {
  const keys = (await knownFlagNames(ctx)).names.map(({ key }) => key);
  const counts = new Map<string, number>();
  for (const value of await readValues(ctx.reader, keys)) {
    const text = value ? fullText(value) : null;
    const on = text === null ? null : onText(text);
    if (on !== null) counts.set(on, (counts.get(on) ?? 0) + 1);
  }
  const [top] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return top?.[0] ?? 'true';
};

/** Stored text of a new flag: in the given style, else in the most frequent one. */
export const newText = async (
  ctx: WriteContext,
  enabled: boolean,
  style?: (typeof STYLES)[number],
): Promise<string> => writeBoolean(style?.split('/')[0] ?? (await majorityOn(ctx)), enabled)!;

/** Creates a flag: 409 if the key exists. */
export const createFlag = async (
  ctx: WriteContext,
  input: { name: string; enabled: boolean; raw: string; description?: string } & By,
) => {
  const { name, enabled, raw } = input;
  const key = flagKey(ctx, name);
  const set = key ? await ctx.writer.compareAndSet(key, null, Buffer.from(raw)) : null;
  if (!set?.ok) throw new Problem('conflict', `Flag ${name} already exists.`);
  forgetNames(ctx.connection);
  const etag = textEtag(raw);
  await noteChange(ctx, name, etag, input.by);
  const description = maskSecrets(input.description?.trim() ?? '', false);
  if (description) await setAbout(ctx, name, { ...NO_ABOUT, description }).catch(() => undefined);
  return {
    result: { name, enabled, raw, etag },
    after: { enabled, raw } as Record<string, AuditJson>,
    undo: { name, raw },
  };
};

/** Data to restore a deleted flag. */
const deletionUndo = async (ctx: WriteContext, name: string, value: StoredValue) => {
  const [notes] = (await readNotes(ctx, [name])) ?? [];
  return {
    name,
    value: value.bytes.toString('base64'),
    ttlMs: value.ttlSeconds === null ? null : value.ttlSeconds * 1000,
    description: notes?.about ?? null,
  };
};

/** Deletes a flag and its scheduled changes. 409 for a value that undo could not restore. */
export const deleteFlag = async (ctx: WriteContext, { name, etag }: { name: string; etag: string }) => {
  const value = await readExpected(ctx, name, etag);
  if (value.type !== 'string' || value.bytes.length < value.length)
    throw new Problem(
      'conflict',
      value.type === 'string'
        ? `This flag's value has ${value.length} bytes, too many for a flag: delete it as an environment variable.`
        : `This flag's key holds a ${value.type} instead of a string: undo could not restore it.`,
    );
  const undo = await deletionUndo(ctx, name, value);
  const deleted = await ctx.writer.compareAndSet(value.key, value.bytes, null);
  if (!deleted.ok) throw await changedOrMissing(ctx, name, value);
  forgetNames(ctx.connection);
  const unscheduled = await cancelAllScheduled(ctx, name);
  await forgetNotes(ctx, name);
  return {
    result: { name, unscheduled },
    before: { ...stateOf(name, value), ttlSeconds: value.ttlSeconds },
    after: { unscheduled } as Record<string, AuditJson>,
    undo,
  };
};
