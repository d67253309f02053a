import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand, type Undone } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badField, Problem } from '@/lib/errors';
import { familyOfName, permissionsFor, refuseUndoOf } from '@/lib/key-values/admission';
import { refuseExposure } from '@/lib/key-values/exposure';
import type { KeyIdentity } from '@/lib/key-values/identity';
import {
  contentArg,
  forgetNamesOf,
  keyResult,
  type Look,
  look,
  lookWithEtag,
  NOTHING_ELSE,
  refusalNow,
  shownKey,
} from '@/lib/key-values/look';
import { openKey } from '@/lib/key-values/open-key';
import { storeCall, undoByCall } from '@/lib/key-values/stored-call';
import type { Permission } from '@/lib/permissions';
import type { Key } from '@/lib/redis/commands';
import { stepsNote } from '@/lib/redis/one-slot';
import { type Move, type Moved, moveKey } from '@/lib/snapshots/move-key';
import { keyContracts } from '../schema';
import { impactOnKey } from './impact';
import { newKeyOf } from './new-name';
import { targetOf } from './update';

type Names = Input<typeof keyContracts.rename>;

export const taken = (): Problem =>
  new Problem('exists', 'A key of this name exists already. Nothing was overwritten.');

const bothKeys = async (
  ctx: ReadContext,
  input: Names,
): Promise<{ from: Key; to: Key; identity: KeyIdentity }> => {
  const identity = await openKey(ctx, input.keyId);
  const from = identity.key;
  const to = newKeyOf(ctx, input);
  if (from.equals(to)) throw badField('name', 'This is the current name.');
  return { from, to, identity };
};

const needs = async (ctx: ReadContext, input: Names): Promise<Permission[]> => {
  const { from, to, identity } = await bothKeys(ctx, input);
  const [family, target] = [identity.family, familyOfName(ctx, to, null)];
  const needed = permissionsFor(ctx, [from, to], [family, target]);
  await refuseExposure(ctx, identity, to, target);
  return needed;
};

const TOO_LARGE =
  'The two names are in different slots of the cluster, and this key is too large to be copied from one to the other. Choose a name with the same {hash tag}.';

const moveAndForget = async (ctx: WriteContext, what: 'rename' | 'copy', move: Move): Promise<Moved> => {
  const moved = await moveKey(ctx, what, move);
  if (moved === 'done') forgetNamesOf(ctx, [move.from, move.to]);
  return moved;
};

const moveOrRefuse = async (ctx: WriteContext, what: 'rename' | 'copy', { key, state }: Look, to: Key) => {
  const moved = await moveAndForget(ctx, what, {
    from: key,
    to,
    type: state.type,
    content: contentArg(state),
  });
  if (moved === 'taken') throw taken();
  if (moved === 'too large') throw new Problem('conflict', TOO_LARGE);
  if (moved !== 'done') throw await refusalNow(ctx, key);
};

const rename = async (ctx: WriteContext, input: Names) => {
  const { from, to } = await bothKeys(ctx, input);
  const found = await lookWithEtag(ctx, from, input.etag);
  await moveOrRefuse(ctx, 'rename', found, to);
  const result = await keyResult(ctx, to);
  return {
    result,
    before: { key: await shownKey(ctx, from) },
    after: { key: result.key, ...stepsNote(ctx.connection, [from, to]) },
    undo: {
      from: from.toString('base64'),
      to: to.toString('base64'),
      type: found.state.type,
      content: contentArg(found.state),
    },
  };
};

const kept = z.strictObject({ from: z.string(), to: z.string(), type: z.string(), content: z.string() });

/** Renames the key to its old name, if it was not changed and the name is free. */
const undoRename = async (ctx: WriteContext, data: AuditJson): Promise<Undone> => {
  const stored = kept.parse(data);
  const [from, to] = [Buffer.from(stored.from, 'base64'), Buffer.from(stored.to, 'base64')];
  await refuseUndoOf(ctx, from, to);
  const { type, content } = stored;
  const moved = await moveAndForget(ctx, 'rename', { from: to, to: from, type, content });
  if (moved === 'done') return { undone: 1, conflicts: [] };
  return { undone: 0, conflicts: [{ what: await shownKey(ctx, to), why: WHY_NOT_BACK[moved] }] };
};

const WHY_NOT_BACK: Readonly<Record<Exclude<Moved, 'done'>, string>> = {
  changed: 'It was changed since.',
  taken: 'A key of the old name exists again.',
  missing: 'It was deleted since.',
  'too large': TOO_LARGE,
};

/** keys.rename: one RENAMENX, so the value never passes through Keyward, save between slots of a cluster. */
export const renameKey = defineCommand({
  contract: keyContracts.rename,
  target: targetOf,
  redact: ({ family }) => ({ family: family ?? null }),
  needs,
  impact: impactOnKey,
  actsAs: () => ['keys.create', 'keys.delete'],
  run: rename,
  undo: undoRename,
  undoNeedsNoConfirmation: true,
});

/** COPY blocks the server for as long as it takes. */
const MAX_COPIED_BYTES = 32 * 2 ** 20;

const duplicate = async (ctx: WriteContext, input: Names) => {
  const { from, to } = await bothKeys(ctx, input);
  const memory = await ctx.reader.read(['MEMORY USAGE', from]);
  if (memory !== null && memory > MAX_COPIED_BYTES)
    throw new Problem(
      'conflict',
      'This key uses more than 32 MiB: copying it would stop the server for others.',
    );
  const found = await lookWithEtag(ctx, from, input.etag);
  await moveOrRefuse(ctx, 'copy', found, to);
  const copy = await look(ctx, to, NOTHING_ELSE);
  const result = await keyResult(ctx, to);
  const { type } = found.state;
  const content = contentArg(copy.state);
  return {
    result,
    before: null,
    after: { key: result.key, type, length: found.state.length, ...stepsNote(ctx.connection, [from, to]) },
    undo: storeCall({ key: to, edit: 'delete', type, content, expires: -1, args: [] }),
  };
};

/** keys.duplicate: a copy with the TTL. Undo deletes the copy if it was not changed. */
export const duplicateKey = defineCommand({
  contract: keyContracts.duplicate,
  target: targetOf,
  redact: ({ family }) => ({ family: family ?? null }),
  needs,
  actsAs: () => ['keys.create'],
  run: duplicate,
  undo: undoByCall,
});
