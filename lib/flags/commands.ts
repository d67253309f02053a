import 'server-only';
import { defineCommand } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { maskSecrets } from '@/lib/keyspace/mask';
import { requireNoSecret } from '@/lib/keyspace/require-no-secret';
import { readValue } from '@/lib/values/string-value';
import { unlessApprovalRequired } from './approval';
import { createFlag, deleteFlag, newText, switchFlag } from './change';
import { flagMark } from './chart-mark';
import { checkFlagName, flagKey, flagTarget } from './names';
import { readNotes, setAbout } from './notes';
import { type FlagAbout, flagContracts } from './schema';
import { missing } from './state';
import { undoCreation, undoDeletion, undoDescription, undoSwitch } from './undo';

/** flags.set: turns a flag on or off in its stored format. */
export const setFlagCommand = defineCommand({
  contract: flagContracts.set,
  target: flagTarget,
  redact: ({ enabled }) => ({ enabled }),
  run: unlessApprovalRequired(switchFlag),
  undo: unlessApprovalRequired(undoSwitch),
  chartMark: flagMark,
  undoNeedsNoConfirmation: true,
});

/** flags.create: uses the given style, else the most frequent one. */
export const createFlagCommand = defineCommand({
  contract: flagContracts.create,
  target: flagTarget,
  redact: ({ enabled, style }) => ({ enabled, style: style ?? null }),
  run: unlessApprovalRequired(async (ctx, input) => {
    checkFlagName(ctx, input.name);
    const raw = await newText(ctx, input.enabled, input.style);
    return createFlag(ctx, { ...input, raw });
  }),
  undo: unlessApprovalRequired(undoCreation),
  chartMark: flagMark,
});

/** flags.delete: deletes a flag, whatever text it holds, and cancels its scheduled changes. */
export const deleteFlagCommand = defineCommand({
  contract: flagContracts.delete,
  target: flagTarget,
  redact: () => ({}),
  needsConfirmation: () => true,
  run: unlessApprovalRequired(deleteFlag),
  undo: unlessApprovalRequired(undoDeletion),
  chartMark: flagMark,
});

/** Viewers can read it, and users may paste secrets by mistake: prose is kept without them. */
const plain = (text: string): string => maskSecrets(text.trim(), false);

/** An owner or a tag is a name: with a secret masked in it, it would name nothing. */
const plainName = (what: string, path: string, text: string): string => {
  requireNoSecret(what, path, text);
  return text.trim();
};

/** flags.describe: sets what is noted about a flag. Needs no approval: the application's data is unchanged. */
export const describeFlagCommand = defineCommand({
  contract: flagContracts.describe,
  target: flagTarget,
  redact: () => ({}),
  run: async (ctx, { name, ...input }) => {
    const key = flagKey(ctx, name);
    if (!key || !(await readValue(ctx.reader, key))) throw missing();
    const notes = await readNotes(ctx, [name]);
    if (!notes) throw new Problem('store_unavailable', "Keyward's store does not respond.");
    const from = notes[0]!.about;
    const { description = from.description, owner = from.owner, kind = from.kind, tags = from.tags } = input;
    const to: FlagAbout = {
      description: plain(description ?? '') || null,
      owner: plainName('An owner', 'owner', owner ?? '') || null,
      kind,
      tags: [...new Set(tags.map((tag) => plainName('A tag', 'tags', tag)))].filter(Boolean),
    };
    await setAbout(ctx, name, to);
    return { result: { name, ...to }, before: { ...from }, after: { ...to }, undo: { name, from, to } };
  },
  undo: undoDescription,
  undoNeedsNoConfirmation: true,
});
