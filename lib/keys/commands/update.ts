import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badField, Problem } from '@/lib/errors';
import { permissionsFor } from '@/lib/key-values/admission';
import type { Handler, Step } from '@/lib/key-values/edits/step';
import { elementIdOf, etagOf } from '@/lib/key-values/etag';
import {
  changedSince,
  contentArg,
  EXISTS,
  keyResult,
  type Look,
  look,
  MAX_EDITED_BYTES,
  refusalNow,
} from '@/lib/key-values/look';
import { refuseMasked } from '@/lib/key-values/masked';
import { openKey } from '@/lib/key-values/open-key';
import type { KeyEdit } from '@/lib/key-values/schema';
import { auditedName, auditedValues } from '@/lib/key-values/secrecy';
import { applyEdit, undoByCall } from '@/lib/key-values/stored-call';
import type { Family } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { keyContracts } from '../schema';
import { handlerOf } from './edits/handlers';
import { impactOnKey } from './impact';

type Update = Input<typeof keyContracts.update>;

export const targetOf = async ({ keyId }: { keyId: string }, ctx: ReadContext): Promise<string> =>
  (await openKey(ctx, keyId)).shown;

export const needsOf = async (ctx: ReadContext, { keyId }: { keyId: string }) => {
  const { key, family } = await openKey(ctx, keyId);
  return permissionsFor(ctx, [key], [family]);
};

const tooLarge = (type: string): Problem => {
  const what = type === 'string' ? 'This value' : 'This element';
  const else_ =
    type === 'string' ? 'Delete the key and create it again, or set single bits.' : 'Delete the key.';
  return new Problem(
    'no_undo',
    `${what} has more than ${MAX_EDITED_BYTES / 2 ** 20} MiB, which undo cannot store. ${else_}`,
  );
};

/** Compares what is there with what the caller read. Throws 412, and 400 where the type has no such elements. */
const compare = (ctx: WriteContext, handler: Handler<KeyEdit>, found: Look, { etag, edit }: Update): void => {
  const { key, state, element } = found;
  const isSame = etagOf(ctx, key, state) === etag;
  const fits = (handler.types as readonly string[]).includes(state.type);
  if (!isSame && (handler.wholeContent || !fits)) throw changedSince(ctx, key, state);
  if (!fits) throw badField('edit.op', `This cannot be done to a ${state.type}.`);
  if (element === 'too large') throw tooLarge(state.type);
  if (element === 'missing') throw changedSince(ctx, key, state);
  if (!handler.element || !('element' in edit)) return;
  if (elementIdOf(ctx, key, handler.element(edit, found)) !== edit.element)
    throw changedSince(ctx, key, state);
};

const ALREADY = 'An element of this name exists already. Nothing was overwritten.';

/** The refusal of an edit that the script did not make. */
const refusalOf = async (ctx: WriteContext, key: Key, state: number): Promise<Problem> => {
  if (state === EXISTS) return new Problem('exists', ALREADY);
  if (state !== TOO_LARGE_TO_COPY) return refusalNow(ctx, key);
  return new Problem(
    'no_undo',
    'This stream is larger than 8 MiB, which undo cannot store: its entries cannot be removed here.',
  );
};
const TOO_LARGE_TO_COPY = 5;

const audited = (family: Family | null, key: Key, { field, before, after }: Step) => {
  const values = auditedValues(family, key, field ?? null, { before, after });
  const named: Record<string, AuditJson> = field ? { element: auditedName(family, field) } : {};
  return { before: { ...named, value: values.before! }, after: { ...named, value: values.after! } };
};

const update = async (ctx: WriteContext, input: Update) => {
  const { edit } = input;
  const identity = await openKey(ctx, input.keyId);
  const { key, family } = identity;
  const handler = handlerOf(edit);
  const found = await look(ctx, key, handler.at(edit));
  compare(ctx, handler, found, input);
  await refuseMasked(ctx, identity, (await handler.parts?.(edit, found, ctx)) ?? []);
  const step = handler.make(edit, found);
  const content = handler.wholeContent ? contentArg(found.state) : '';
  const { state, undo } = await applyEdit(ctx, found, step, content);
  if (undo === null) throw await refusalOf(ctx, key, state);
  return { result: await keyResult(ctx, key), ...audited(family, key, step), undo };
};

/**
 * keys.update: one edit of a value. Fields, members and entries are compared by themselves, because an application may write
 * to others of the key all the time; strings, and places in a list, need the etag of the complete value.
 */
export const updateKey = defineCommand({
  contract: keyContracts.update,
  target: targetOf,
  redact: ({ edit }) => ({ op: edit.op }),
  needs: needsOf,
  impact: impactOnKey,
  run: update,
  undo: undoByCall,
  undoNeedsNoConfirmation: true,
});
