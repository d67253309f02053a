import 'server-only';
import { maskSecrets } from '@/lib/catalog/mask';
import { defineCommand } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { readValue } from '@/lib/values/string-value';
import { unlessApprovalRequired } from './approval';
import { createFlag, deleteFlag, newText, switchFlag } from './change';
import { flagMark } from './chart-mark';
import { flagKey, isFlagName } from './names';
import { readNotes, setDescription } from './notes';
import { flagContracts } from './schema';
import { missing } from './state';
import { undoCreation, undoDeletion, undoDescription, undoSwitch } from './undo';

/** The name alone, so that `flags.history` finds it; what names no flag may be anything, a secret too. */
export const flagTarget = ({ name }: { name: string }): string => (isFlagName(name) ? name : 'no flag');

const named = (input: { name: string }): string | null => (isFlagName(input.name) ? input.name : null);

/** Turns a flag on or off in the style in use. */
export const setFlagCommand = defineCommand({
  contract: flagContracts.set,
  target: flagTarget,
  redact: (input) => ({ name: named(input), enabled: input.enabled }),
  run: unlessApprovalRequired(switchFlag),
  undo: unlessApprovalRequired(undoSwitch),
  chartMark: flagMark,
  undoNeedsNoConfirmation: true,
});

/** Creates a flag in the style given, else in that of the majority. */
export const createFlagCommand = defineCommand({
  contract: flagContracts.create,
  target: flagTarget,
  redact: (input) => ({ name: input.name, enabled: input.enabled, style: input.style ?? null }),
  run: unlessApprovalRequired(async (ctx, input) => {
    const raw = await newText(ctx, input.enabled, input.style);
    return createFlag(ctx, { ...input, raw });
  }),
  undo: unlessApprovalRequired(undoCreation),
  chartMark: flagMark,
});

/** Deletes a flag, whatever text it holds, with its plans; both are told. */
export const deleteFlagCommand = defineCommand({
  contract: flagContracts.delete,
  target: flagTarget,
  redact: (input) => ({ name: named(input) }),
  needsConfirmation: () => true,
  run: unlessApprovalRequired(deleteFlag),
  undo: unlessApprovalRequired(undoDeletion),
  chartMark: flagMark,
});

/** Says what a flag does. Nothing of the application changes, so one user is enough. */
export const describeFlagCommand = defineCommand({
  contract: flagContracts.describe,
  target: flagTarget,
  redact: (input) => ({ name: named(input) }),
  run: async (ctx, { name, ...input }) => {
    const key = flagKey(ctx, name);
    if (!key || !(await readValue(ctx.reader, key))) throw missing();
    const memory = await readNotes(ctx, [name]);
    if (!memory) throw new Problem('store_unavailable', "The console's store does not answer.");
    const from = memory[0]?.description ?? null;
    // Viewers read it, and people paste what they were given.
    const description = maskSecrets(input.description.trim(), false) || null;
    await setDescription(ctx, name, description);
    return {
      result: { name, description },
      before: { description: from },
      after: { description },
      undo: { name, from, to: description },
    };
  },
  undo: undoDescription,
  undoNeedsNoConfirmation: true,
});
