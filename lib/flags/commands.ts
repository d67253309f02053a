import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import { defineCommand, type Undone } from '@/lib/command/define';
import { notFound, Problem } from '@/lib/errors';
import { etagOf, readValue, type StoredValue, textOf } from '@/lib/values/string-value';
import { writeBoolean } from '@/lib/values/style';
import { flagKey, forgetFlagNames, isFlagName } from './names';
import { noteChange } from './notes';
import { stateOf } from './reads';
import { flagContracts } from './schema';

const missing = (): Problem => notFound('This flag');

const changed = (name: string, present: StoredValue): Problem =>
  new Problem('changed', 'This flag was changed since you read it. Look at it again.', {
    extensions: { etag: present.etag, ...stateOf(name, present) },
  });

const stringEtag = (bytes: Buffer): string => etagOf('string', bytes.length, bytes);

/** The present value, if it is a boolean that the caller has seen: 404, 412 or 409 otherwise. */
const readSettable = async (
  ctx: WriteContext,
  name: string,
  etag: string,
): Promise<{ value: StoredValue; text: string }> => {
  const key = flagKey(ctx, name);
  const value = key ? await readValue(ctx.reader, key) : null;
  if (!value) throw missing();
  if (value.etag !== etag) throw changed(name, value);
  if (value.type !== 'string')
    throw new Problem('conflict', `This flag's key holds a ${value.type} where a string should be.`);
  const text = value.length === value.bytes.length ? textOf(value.bytes) : null;
  if (text === null || stateOf(name, value).enabled === null)
    throw new Problem('conflict', "This flag's value is no boolean: change it as an environment variable.");
  return { value, text };
};

const setFlag = async (ctx: WriteContext, input: { name: string; enabled: boolean; etag: string }) => {
  const { name, enabled } = input;
  const { value, text } = await readSettable(ctx, name, input.etag);
  const raw = writeBoolean(text, enabled)!;
  const next = Buffer.from(raw);
  const set = await ctx.writer.compareAndSet(value.key, value.bytes, next);
  if (!set.ok) {
    const present = await readValue(ctx.reader, value.key);
    throw present ? changed(name, present) : missing();
  }
  forgetFlagNames(ctx.connection);
  const etag = stringEtag(next);
  await noteChange(ctx, name, etag);
  return {
    result: { name, enabled, raw, etag },
    before: { enabled: stateOf(name, value).enabled, raw: text },
    after: { enabled, raw },
    undo: { name, from: text, to: raw },
  };
};

const keptChange = z.object({ name: z.string(), from: z.string(), to: z.string() });

const undoSet = async (ctx: WriteContext, kept: unknown): Promise<Undone> => {
  const { name, from, to } = keptChange.parse(kept);
  const key = flagKey(ctx, name);
  const old = Buffer.from(from);
  const set = key ? await ctx.writer.compareAndSet(key, Buffer.from(to), old) : null;
  if (!set?.ok) {
    const gone = !set || (set.reason === 'changed' && set.present === null);
    return { undone: 0, conflicts: [{ what: name, why: gone ? 'It is gone.' : 'It was changed since.' }] };
  }
  forgetFlagNames(ctx.connection);
  await noteChange(ctx, name, stringEtag(old));
  return { undone: 1, conflicts: [] };
};

/** Turns a flag on or off in the style in use. Two at once: exactly one wins, the other is told with 412. */
export const setFlagCommand = defineCommand({
  contract: flagContracts.set,
  // The name alone, so that `flags.history` finds it; what names no flag may be anything, a secret too.
  target: ({ name }) => (isFlagName(name) ? name : 'no flag'),
  redact: ({ name, enabled }) => ({ name: isFlagName(name) ? name : null, enabled }),
  run: setFlag,
  undo: undoSet,
});
