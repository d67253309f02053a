import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { readFile } from '@/lib/key-values/key-file';
import { keyContracts } from '../../schema';
import { type ImportRow, planImport } from './plan';
import { type Restored, restorePlanned } from './restore';
import { undoImport } from './undo-import';

type Import = Input<typeof keyContracts.import>;

const shown = ({ line, key, family, type, status, reason }: ImportRow) => ({
  line,
  key,
  family,
  type,
  status,
  reason,
});

const MAX_AUDITED_KEYS = 20;

const importKeys = async (ctx: WriteContext, input: Import) => {
  const rows = await planImport(ctx, await readFile(input.file), input.replace);
  const restored: Restored[] = await restorePlanned(ctx, rows);
  const done = rows.filter(({ status }) => status === 'restored');
  return {
    result: { rows: rows.map(shown), restored: done.length },
    after: {
      restored: done.length,
      replaced: restored.filter(({ replaced }) => replaced).length,
      refused: rows.filter(({ status }) => status === 'refused').length,
      keys: done.slice(0, MAX_AUDITED_KEYS).map(({ key }) => key),
    },
    ...(restored.length > 0 ? { undo: { auditId: ctx.auditId, restored } } : {}),
  };
};

/** keys.import: restores keys of an exported file, each for itself. Never replaces a key without a copy of it. */
export const importKeysCommand = defineCommand({
  contract: keyContracts.import,
  target: ({ replace }) => (replace ? 'a file of keys, replacing existing ones' : 'a file of keys'),
  redact: ({ file, replace }) => ({ bytes: file.length, replace }),
  needsConfirmation: () => true,
  preview: async (ctx: ReadContext, input) => {
    const rows = await planImport(ctx, await readFile(input.file), input.replace);
    return { rows: rows.map(shown), restored: 0 };
  },
  actsAs: ({ replace }) => ['keys.create', ...(replace ? ['keys.update'] : [])],
  run: importKeys,
  undo: undoImport,
});
