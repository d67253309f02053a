import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Undone } from '@/lib/command/define';
import type { Arg, Key } from '@/lib/redis/commands';
import { expiryArg } from '@/lib/snapshots/restore-keys';
import { refuseUndoOf } from './admission';
import type { EditCall, Step } from './edits/step';
import { DONE, EXISTS, type Look, runOn, shownKey, WOULD_HAVE_EXPIRED } from './look';

/** What undoes an edit: a call of `key-edit`, with its bytes in base64. */
const storedCall = z.strictObject({
  key: z.string(),
  edit: z.string(),
  /** `none` where the edit removed the last element, and so the key. */
  type: z.string(),
  /** `length:digest` that the content must have; empty where the element is compared. */
  content: z.string(),
  /** The expiry of a key that is created again, as `Expiry`. */
  expires: z.union([z.number(), z.string()]),
  args: z.array(z.string()),
});
type StoredCall = z.output<typeof storedCall>;

const base64 = (arg: Arg): string =>
  (Buffer.isBuffer(arg) ? arg : Buffer.from(String(arg))).toString('base64');
const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64');

export interface KeyCall extends EditCall, Pick<StoredCall, 'type' | 'content' | 'expires'> {
  key: Key;
}

export const callArgs = ({ edit, type, content, expires, args }: Omit<KeyCall, 'key'>): Arg[] => [
  edit,
  type,
  content,
  expiryArg(expires),
  ...args,
];

export const storeCall = ({ key, args, ...call }: KeyCall): AuditJson =>
  ({ ...call, key: base64(key), args: args.map(base64) }) satisfies StoredCall;

/**
 * Edits a key that was looked at, if the content is still this one; '' where the element is compared. `undo` is what
 * undoes it; null where the script refused, as its `state` says.
 */
export const applyEdit = async (
  ctx: WriteContext,
  { key, state: { type }, expires }: Look,
  step: EditCall & Pick<Step, 'undo'>,
  content = '',
): Promise<{ state: number; undo: AuditJson | null }> => {
  const args = callArgs({ ...step, type, content, expires: -1 });
  const { state, results } = await runOn(ctx, 'key-edit', [key], args);
  if (state !== DONE) return { state, undo: null };
  const [exists, ...more] = results;
  const undo = step.undo(more);
  return {
    state,
    undo: storeCall({ ...undo, key, content: '', type: exists === 1 ? type : 'none', expires }),
  };
};

const CONFLICTS: Record<number, string> = {
  [EXISTS]: 'What it was before exists again.',
  3: 'The key was deleted, or created again, or has another type.',
  [WOULD_HAVE_EXPIRED]: 'It would have expired meanwhile.',
};

/** Runs a stored call: a conflict if what it compares with changed since. */
export const undoByCall = async (ctx: WriteContext, kept: AuditJson): Promise<Undone> => {
  const { key: encoded, args, ...call } = storedCall.parse(kept);
  const key = fromBase64(encoded);
  await refuseUndoOf(ctx, key);
  const { state } = await runOn(ctx, 'key-edit', [key], callArgs({ ...call, args: args.map(fromBase64) }));
  if (state === DONE) return { undone: 1, conflicts: [] };
  const why = CONFLICTS[state] ?? 'It was changed since.';
  return { undone: 0, conflicts: [{ what: await shownKey(ctx, key), why }] };
};
