import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badField, Problem } from '@/lib/errors';
import { permissionsFor } from '@/lib/key-values/admission';
import { contentArg } from '@/lib/key-values/look';
import { openKey } from '@/lib/key-values/open-key';
import type { Key } from '@/lib/redis/commands';
import type { RoleKey } from '@/lib/role-keys/role-keys';
import { shownName } from '@/lib/role-keys/shown-name';
import { ttlSeconds } from '@/lib/time';
import { UNREADABLE } from '@/lib/values/string-value';
import { ownerDigest, shownOwner } from './owner';
import { lockContracts } from './schema';
import { locksChanged } from './shared-locks';
import { comparisonOf, hasContentOf, lockEtag } from './shown-lock';
import { readLocks, type StoredLock } from './stored-lock';

type Release = Input<typeof lockContracts.release>;

interface NamedLock extends RoleKey {
  shown: string;
}

/** Throws 400 for a key that is not a lock, and the errors of `openKey`. */
const openLock = async (ctx: ReadContext, keyId: string): Promise<NamedLock> => {
  const { key, family, state, params, shown } = await openKey(ctx, keyId);
  if (family?.role !== 'lock') throw badField('keyId', 'This key is not a lock.');
  return { key, family, params: state === 'classified' ? params : null, shown };
};

const gone = (): Problem =>
  new Problem('not_found', 'This lock is gone: its owner released it, or it expired. Nothing was changed.');

/** 412 with the current etag. */
const taken = (ctx: ReadContext, key: Key, lock: StoredLock): Problem =>
  new Problem('changed', 'This lock changed hands since you read it. It was not released.', {
    extensions: { etag: lockEtag(ctx, key, lock) },
  });

const notComparable = ({ type }: StoredLock): Problem =>
  new Problem(
    'conflict',
    type === UNREADABLE
      ? 'The Redis user of this connection may not read this lock, so it could be that of another owner. It was not released.'
      : 'The value of this lock is too large to be compared, or of an unknown type, so it could be that of another owner. It was not released: delete it in the key inspector.',
  );

const readLock = async (ctx: WriteContext, lock: NamedLock): Promise<StoredLock> => {
  const [stored] = await readLocks(ctx, [lock]);
  if (!stored) throw gone();
  return stored;
};

const DELETED = 1;

/** Reads, compares with the displayed state, and deletes only what was read, in one step on the server. */
const release = async (ctx: WriteContext, { keyId, etag }: Release) => {
  const lock = await openLock(ctx, keyId);
  const { key } = lock;
  const stored = await readLock(ctx, lock);
  if (stored.state === null) throw notComparable(stored);
  if (!hasContentOf(ctx, key, stored, etag)) throw taken(ctx, key, stored);
  const { type } = stored.state;
  const args = [type, contentArg(stored.state), ...comparisonOf(etag, Date.now())];
  const [state] = await ctx.writer.run('release-lock', [key], args);
  if (state !== DELETED) throw taken(ctx, key, await readLock(ctx, lock));
  await locksChanged(ctx);
  const takenAgain = (await ctx.reader.read(['EXISTS', key])) === 1;
  const { operation, entityId } = shownName(ctx.catalog, lock, ['operation', 'entityId']);
  const left = stored.expiresAt === null ? -1 : stored.expiresAt - ctx.now();
  return {
    result: { released: true as const, takenAgain },
    before: {
      operation,
      entityId,
      type,
      owner: shownOwner(stored),
      ownerDigest: ownerDigest(ctx, stored),
      ttlSeconds: ttlSeconds(left) ?? null,
    },
    after: { released: true, takenAgain },
  };
};

/** locks.release: without undo, because a restored lock would block work for no owner. */
export const releaseLock = defineCommand({
  contract: lockContracts.release,
  target: async ({ keyId }, ctx) => (await openLock(ctx, keyId)).shown,
  redact: () => ({}),
  needs: async (ctx, { keyId }) => {
    const { key, family } = await openLock(ctx, keyId);
    return permissionsFor(ctx, [key], [family]);
  },
  needsConfirmation: () => true,
  run: release,
});
