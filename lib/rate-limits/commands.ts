import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand, type Undone } from '@/lib/command/define';
import { badField, notFound, Problem } from '@/lib/errors';
import { displayName, keyFromId, keyId } from '@/lib/keyspace/display';
import { windowsChanged, windowsKey } from './pass';
import { etagOf, onHash, projectIdOf, readFields, shownValue } from './rows';
import { rateLimitContracts } from './schema';

/** A window that has expired whatever the period is: the next event opens a new one. */
const EXPIRED = '0:0';

interface Named {
  projectId?: string;
  fieldId?: string;
}

/** The collector writes ids as MongoDB prints them: in lower case. */
const fieldOf = ({ projectId, fieldId }: Named): Buffer => {
  if (projectId !== undefined) return Buffer.from(projectId.toLowerCase());
  const field = keyFromId(fieldId ?? '');
  if (field === null) throw badField('fieldId', 'This is not a field id.');
  return field;
};

const shownField = (named: Named): string =>
  named.projectId?.toLowerCase() ?? displayName(Buffer.from(named.fieldId ?? '', 'base64url'), 100);

interface TakeRequest extends Named {
  etag?: string;
  only: 'any' | 'unreadable';
  replacement: string;
}

const undoSchema = z.object({ field: z.string(), value: z.string(), replacement: z.string() });

/** Removes or replaces the value of a field atomically. Throws 404, 409 or 412 if it is not the value that was meant. */
const take = async (ctx: WriteContext, { etag, only, replacement, ...named }: TakeRequest) => {
  const field = fieldOf(named);
  const key = windowsKey(ctx.connection, ctx.catalog);
  const reply = await ctx.writer.run('take-window', [key], [field, etag ?? '', only, replacement]);
  const [outcome, value] = reply as [Buffer, Buffer];
  switch (outcome.toString('latin1')) {
    case 'none':
      throw notFound('A window of this project');
    case 'changed':
      throw new Problem('changed', 'The window changed since: review it again.', {
        extensions: { etag: etagOf(value) },
      });
    case 'readable':
      throw new Problem('conflict', 'The collector can read this value: reset the window instead.', {
        extensions: { etag: etagOf(value) },
      });
    case 'wrong-type':
      // Throws the 409 that a read throws.
      await readFields(ctx, [field]);
      throw new Problem('conflict', 'The key was not a hash a moment ago: try again.');
  }
  await windowsChanged(ctx);
  return {
    result: { projectId: projectIdOf(field), fieldId: keyId(field), removed: shownValue(value) },
    before: { window: shownValue(value) } as AuditJson,
    undo: { field: keyId(field), value: value.toString('base64'), replacement },
  };
};

const conflictOf = (field: Buffer, why: string): Undone => ({
  undone: 0,
  conflicts: [{ what: displayName(field, 100), why }],
});

/** Restores the exact value, unless another was written since. */
const restoreWindow = async (ctx: WriteContext, raw: AuditJson): Promise<Undone> => {
  const { field: id, value, replacement } = undoSchema.parse(raw);
  const field = Buffer.from(id, 'base64url');
  const key = windowsKey(ctx.connection, ctx.catalog);
  const args = [field, replacement, Buffer.from(value, 'base64')];
  const [done] = (await onHash(ctx, () => ctx.writer.run('put-window', [key], args))) as [number];
  await windowsChanged(ctx);
  if (done === 1) return { undone: 1, conflicts: [] };
  return conflictOf(
    field,
    done === 0 ? 'The collector has opened another window since.' : 'The key is no longer a hash.',
  );
};

const target = (input: Named): string => shownField(input);

/** Removes a window, readable or not. */
export const resetWindow = defineCommand({
  contract: rateLimitContracts.reset,
  target,
  redact: (input) => ({ field: shownField(input) }),
  needsConfirmation: () => true,
  run: async (ctx, { projectId, fieldId, etag }) => {
    const taken = await take(ctx, { projectId, fieldId, etag, only: 'any', replacement: '' });
    return { ...taken, after: { window: null } };
  },
  undo: restoreWindow,
});

/** Removes or replaces a value that the collector cannot read; refuses readable ones. */
export const repairWindow = defineCommand({
  contract: rateLimitContracts.repair,
  target,
  redact: (input) => ({ field: shownField(input), replace: input.replace }),
  needsConfirmation: () => true,
  run: async (ctx, { projectId, fieldId, etag, replace }) => {
    const replacement = replace ? EXPIRED : '';
    const taken = await take(ctx, { projectId, fieldId, etag, only: 'unreadable', replacement });
    const stored = replace ? EXPIRED : null;
    return { ...taken, result: { ...taken.result, stored }, after: { window: stored } };
  },
  undo: restoreWindow,
});
