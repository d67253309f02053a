import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand, type Undone } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badInput, Problem } from '@/lib/errors';
import type { Permission } from '@/lib/permissions';
import type { Key } from '@/lib/redis/commands';
import type { KeyIdentity } from '../identity';
import { keyContracts } from '../schema';
import { familyOfName, permissionsFor, refuseUndoOf } from './admission';
import { refuseExposure } from './exposure';
import {
  contentArg,
  DONE,
  EXISTS,
  keyResult,
  type Look,
  look,
  lookWithEtag,
  NOTHING_ELSE,
  refusalNow,
  runOn,
  shownKey,
} from './look';
import { newKeyOf } from './new-name';
import { openKey } from './open-key';
import { storeCall, undoByCall } from './stored-call';
import { targetOf } from './update';

type Move = Input<typeof keyContracts.rename>;

export const taken = (): Problem =>
  new Problem('exists', 'A key of this name exists already. Nothing was overwritten.');

const bothKeys = async (
  ctx: ReadContext,
  input: Move,
): Promise<{ from: Key; to: Key; identity: KeyIdentity }> => {
  const identity = await openKey(ctx, input.keyId);
  const from = identity.key;
  const to = newKeyOf(ctx, input);
  if (from.equals(to)) throw badInput([{ path: 'name', message: 'This is the current name.' }]);
  return { from, to, identity };
};

const needs = async (ctx: ReadContext, input: Move): Promise<Permission[]> => {
  const { from, to, identity } = await bothKeys(ctx, input);
  const [family, target] = [identity.family, familyOfName(ctx, to, null)];
  const needed = permissionsFor(ctx, [from, to], [family, target]);
  await refuseExposure(ctx, identity, to, target);
  return needed;
};

/** One script needs both keys on one node, and there in one slot. */
const sameSlot = async <T>(ctx: WriteContext, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (ctx.connection.topology.kind !== 'cluster' || !(error instanceof Problem) || error.code !== 'moved')
      throw error;
    throw new Problem(
      'conflict',
      'The two names are in different slots of the cluster. Choose a name with the same {hash tag}.',
    );
  }
};

const move = (ctx: WriteContext, what: 'rename' | 'copy', found: Look, to: Key) =>
  sameSlot(ctx, () =>
    runOn(ctx, 'key-move', [found.key, to], [what, found.state.type, contentArg(found.state)]),
  );

const moveOrRefuse = async (ctx: WriteContext, what: 'rename' | 'copy', found: Look, to: Key) => {
  const { state } = await move(ctx, what, found, to);
  if (state === EXISTS) throw taken();
  if (state !== DONE) throw await refusalNow(ctx, found.key);
};

const rename = async (ctx: WriteContext, input: Move) => {
  const { from, to } = await bothKeys(ctx, input);
  const found = await lookWithEtag(ctx, from, input.etag);
  await moveOrRefuse(ctx, 'rename', found, to);
  const result = await keyResult(ctx, to);
  return {
    result,
    before: { key: await shownKey(ctx, from) },
    after: { key: result.key },
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
  const { state } = await sameSlot(ctx, () =>
    runOn(ctx, 'key-move', [to, from], ['rename', stored.type, stored.content]),
  );
  if (state === DONE) return { undone: 1, conflicts: [] };
  const why: Record<number, string> = {
    0: 'It was changed since.',
    [EXISTS]: 'A key of the old name exists again.',
  };
  const what = await shownKey(ctx, to);
  return { undone: 0, conflicts: [{ what, why: why[state] ?? 'It was deleted or created again since.' }] };
};

/** keys.rename: one RENAMENX, so the value never passes through Keyward. */
export const renameKey = defineCommand({
  contract: keyContracts.rename,
  target: targetOf,
  redact: ({ family }) => ({ family: family ?? null }),
  needs,
  run: rename,
  undo: undoRename,
  undoNeedsNoConfirmation: true,
});

/** COPY blocks the server for as long as it takes. */
const MAX_COPIED_BYTES = 32 * 2 ** 20;

const duplicate = async (ctx: WriteContext, input: Move) => {
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
    after: { key: result.key, type, length: found.state.length },
    undo: storeCall({ key: to, edit: 'delete', type, content, expires: -1, args: [] }),
  };
};

/** keys.duplicate: one COPY, with the TTL. Undo deletes the copy if it was not changed. */
export const duplicateKey = defineCommand({
  contract: keyContracts.duplicate,
  target: targetOf,
  redact: ({ family }) => ({ family: family ?? null }),
  needs,
  run: duplicate,
  undo: undoByCall,
});
