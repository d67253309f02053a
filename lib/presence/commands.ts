import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand, type Undone } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { showMember } from '@/lib/entities/show';
import { permissionsFor, refuseUndoOf } from '@/lib/key-values/admission';
import { cutOf } from '@/lib/key-values/etag';
import { identify } from '@/lib/key-values/identity';
import { DONE, EXISTS, runOn, WOULD_HAVE_EXPIRED } from '@/lib/key-values/look';
import { callArgs } from '@/lib/key-values/stored-call';
import { valueAccess } from '@/lib/key-values/value-access';
import { MASK } from '@/lib/keyspace/mask';
import type { Key } from '@/lib/redis/commands';
import { memberOfId } from './member-ids';
import { notASet, onlineNow, presenceFamily } from './online';
import { presenceContracts } from './schema';

type Named = Input<typeof presenceContracts.setOffline>;

const memberOf = (ctx: ReadContext, { userId, memberId }: Named): Buffer =>
  userId === undefined ? memberOfId(ctx, memberId ?? '') : Buffer.from(userId);

/** The member for the audit log, masked as in the list of users online. */
const shownMember = async (ctx: ReadContext, key: Key, member: Buffer): Promise<string> => {
  const [identity] = await identify(ctx, [key]);
  const access = valueAccess(ctx, identity!);
  const { value } = await showMember(cutOf(member), { catalog: ctx.catalog, access });
  const shown = value ?? MASK;
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
};
const MAX_SHOWN = 200;

/** What undo needs to add the member again; bytes in base64. */
const removedMember = z.strictObject({
  member: z.string(),
  type: z.enum(['set', 'zset']),
  /** For a sorted set, in Redis' notation. */
  score: z.string().nullable(),
  /** The key's expiry, epoch ms; -1 for none. The key was deleted with its last member. */
  expires: z.number(),
});
type RemovedMember = z.output<typeof removedMember>;

/** Calls `key-edit`, which compares and changes in one step. */
const edit = (
  ctx: WriteContext,
  key: Key,
  name: 'addMember' | 'removeMember',
  { type, expires, member, score }: { type: string; expires: number; member: Buffer; score: string | null },
) => {
  const args = score === null ? [member] : [member, score];
  return runOn(ctx, 'key-edit', [key], callArgs({ edit: name, type, content: '', expires, args }));
};

const WRONG_TYPE = 3;

/** Removes the member; null where it is not in the set. */
const remove = async (ctx: WriteContext, key: Key, member: Buffer): Promise<RemovedMember | null> => {
  const type = await ctx.reader.read(['TYPE', key]);
  if (type === 'none') return null;
  if (type !== 'set' && type !== 'zset') throw notASet(ctx, key);
  const score = type === 'zset' ? await ctx.reader.read(['ZSCORE', key, member]) : null;
  if (type === 'zset' && score === null) return null;
  const ttlMs = await ctx.reader.read(['PTTL', key]);
  const expires = ttlMs > 0 ? ctx.now() + ttlMs : -1;
  const found = { type, member, score: score?.toString('latin1') ?? null, expires } as const;
  const { state } = await edit(ctx, key, 'removeMember', found);
  // The key was deleted with its last member meanwhile, or replaced.
  if (state === WRONG_TYPE && (await ctx.reader.read(['TYPE', key])) !== 'none') throw notASet(ctx, key);
  return state === DONE ? { ...found, member: member.toString('base64') } : null;
};

const setOffline = async (ctx: WriteContext, input: Named) => {
  const family = presenceFamily(ctx);
  const before = await onlineNow(ctx, family);
  const removed = await remove(ctx, family.key(), memberOf(ctx, input));
  const online = await onlineNow(ctx, family);
  return {
    result: { removed: removed !== null, online },
    before: { online: before },
    after: { online, removed: removed !== null },
    ...(removed && { undo: removed satisfies AuditJson }),
  };
};

const CONFLICTS: Record<number, string> = {
  [EXISTS]: 'Already online again.',
  [WRONG_TYPE]: 'The key has another type now.',
  [WOULD_HAVE_EXPIRED]: 'The list of users online would have expired meanwhile.',
};

const undoSetOffline = async (ctx: WriteContext, kept: AuditJson): Promise<Undone> => {
  const key = presenceFamily(ctx).key();
  await refuseUndoOf(ctx, key);
  const { member: encoded, ...removed } = removedMember.parse(kept);
  const member = Buffer.from(encoded, 'base64');
  let { state } = await edit(ctx, key, 'addMember', { ...removed, member });
  // It was the last one, or the others have left since: the key is created again.
  if (state === WRONG_TYPE && (await ctx.reader.read(['TYPE', key])) === 'none')
    ({ state } = await edit(ctx, key, 'addMember', { ...removed, member, type: 'none' }));
  if (state === DONE) return { undone: 1, conflicts: [] };
  return {
    undone: 0,
    conflicts: [
      { what: await shownMember(ctx, key, member), why: CONFLICTS[state] ?? 'It was changed since.' },
    ],
  };
};

/** Takes one user off the set of users online. */
export const setOfflineCommand = defineCommand({
  contract: presenceContracts.setOffline,
  target: (input, ctx) => shownMember(ctx, presenceFamily(ctx).key(), memberOf(ctx, input)),
  redact: () => ({}),
  needs: (ctx) => {
    const family = presenceFamily(ctx);
    return permissionsFor(ctx, [family.key()], [family]);
  },
  needsConfirmation: () => true,
  run: setOffline,
  undo: undoSetOffline,
  undoNeedsNoConfirmation: true,
});
