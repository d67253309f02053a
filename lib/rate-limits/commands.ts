import 'server-only';
import { z } from 'zod';
import { displayBytes, keyFromId, keyId } from '@/lib/catalog/display';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand, type Undone } from '@/lib/command/define';
import { badInput, notFound, Problem } from '@/lib/errors';
import { outdatePass, windowsKey } from './pass';
import { etagOf, onHash, projectIdOf, readFields, shownValue } from './rows';
import { rateLimitContracts } from './schema';

/** A window that is over, whatever the period: the next event opens a new one. */
const OVER = '0:0';

interface Named {
  projectId?: string;
  fieldId?: string;
}

/** MongoDB prints ids in lower case, and the collector writes them so. */
const fieldOf = ({ projectId, fieldId }: Named): Buffer => {
  if (projectId !== undefined) return Buffer.from(projectId.toLowerCase());
  const field = keyFromId(fieldId ?? '');
  if (field === null) throw badInput([{ path: 'fieldId', message: 'This is not a field id.' }]);
  return field;
};

const shownField = (named: Named): string =>
  named.projectId?.toLowerCase() ?? displayBytes(Buffer.from(named.fieldId ?? '', 'base64url'), 100);

interface Taking extends Named {
  etag?: string;
  only: 'any' | 'unreadable';
  replacement: string;
}

const kept = z.object({ field: z.string(), value: z.string(), replacement: z.string() });

/** Takes the value of a field in one step. Throws what stands in the way. */
const take = async (ctx: WriteContext, { etag, only, replacement, ...named }: Taking) => {
  const field = fieldOf(named);
  const key = windowsKey(ctx.connection, ctx.catalog);
  const reply = await ctx.writer.run('take-window', [key], [field, etag ?? '', only, replacement]);
  const [outcome, value] = reply as [Buffer, Buffer];
  switch (outcome.toString('latin1')) {
    case 'none':
      throw notFound('A window of this project');
    case 'changed':
      throw new Problem('changed', 'This is another window now: look at it again.', {
        extensions: { etag: etagOf(value) },
      });
    case 'readable':
      throw new Problem('conflict', 'The collector can read this value: reset the window instead.', {
        extensions: { etag: etagOf(value) },
      });
    case 'wrong-type':
      // The same words as where it is read.
      await readFields(ctx, [field]);
      throw new Problem('conflict', 'The key was no hash a moment ago: look at it again.');
  }
  outdatePass(ctx.connection, ctx.catalog);
  return {
    result: { projectId: projectIdOf(field), fieldId: keyId(field), removed: shownValue(value) },
    before: { window: shownValue(value) } as AuditJson,
    undo: { field: keyId(field), value: value.toString('base64'), replacement },
  };
};

const conflict = (field: Buffer, why: string): Undone => ({
  undone: 0,
  conflicts: [{ what: displayBytes(field, 100), why }],
});

/** Puts back exactly what was there, if nothing was written since. */
const putBack = async (ctx: WriteContext, raw: AuditJson): Promise<Undone> => {
  const { field: id, value, replacement } = kept.parse(raw);
  const field = Buffer.from(id, 'base64url');
  const key = windowsKey(ctx.connection, ctx.catalog);
  const args = [field, replacement, Buffer.from(value, 'base64')];
  const [done] = (await onHash(ctx, () => ctx.writer.run('put-window', [key], args))) as [number];
  outdatePass(ctx.connection, ctx.catalog);
  if (done === 1) return { undone: 1, conflicts: [] };
  return conflict(
    field,
    done === 0 ? 'The collector counted on since: another window is open.' : 'The key is no hash any more.',
  );
};

const target = (input: Named): string => shownField(input);

/** Removes a window, whatever it holds. */
export const resetWindow = defineCommand({
  contract: rateLimitContracts.reset,
  target,
  redact: (input) => ({ field: shownField(input) }),
  needsConfirmation: () => true,
  run: async (ctx, { projectId, fieldId, etag }) => {
    const taken = await take(ctx, { projectId, fieldId, etag, only: 'any', replacement: '' });
    return { ...taken, after: { window: null } };
  },
  undo: putBack,
});

/** Removes or replaces a value that the collector cannot read, and nothing else. */
export const repairWindow = defineCommand({
  contract: rateLimitContracts.repair,
  target,
  redact: (input) => ({ field: shownField(input), replace: input.replace }),
  needsConfirmation: () => true,
  run: async (ctx, { projectId, fieldId, etag, replace }) => {
    const replacement = replace ? OVER : '';
    const taken = await take(ctx, { projectId, fieldId, etag, only: 'unreadable', replacement });
    const stored = replace ? OVER : null;
    return { ...taken, result: { ...taken.result, stored }, after: { window: stored } };
  },
  undo: putBack,
});
