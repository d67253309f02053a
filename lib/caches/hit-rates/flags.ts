import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { Problem } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isSufficient, mergeFlags, readFlags, sameFlags, writeFlags } from '@/lib/redis/keyspace-events';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { type Node, readyClient } from '@/lib/redis/topology';
import { SECOND } from '@/lib/time';
import { type Consent, forgetPutBack, notePutBack, type PutBack, readSampling } from './state';

/** Flags and MONITOR are the server's, so connections to one server take turns. */
const leaseOf = ({ server }: ConnectionHandle): Buffer =>
  consoleFamilies.lease.key({ name: `window-${digest('cursor', Buffer.from(server), 22)}` });

/** Beyond the window itself: to connect, for two fences, and to put back. */
const SPARE_MS = 15 * SECOND;

/**
 * Runs `work` unless another window is open, in this process or another: who merges flags in must be alone to put them
 * back.
 */
export const withWindowLease = <T>(
  store: Store,
  handle: ConnectionHandle,
  ms: number,
  work: () => Promise<T>,
): ReturnType<typeof withLease<T>> =>
  withLease(store, leaseOf(handle), { ms: Math.ceil(ms) + SPARE_MS }, work);

export const isWindowOpen = (store: Store, handle: ConnectionHandle): Promise<boolean> =>
  store.use(async (redis) => (await redis.exists(leaseOf(handle))) === 1);

const needsConsent = (present: string): Problem =>
  new Problem(
    'conflict',
    'notify-keyspace-events lacks E or m, and nobody agreed to merging them into its present value.',
    { extensions: { present, proposed: mergeFlags(present) } },
  );

/** Where the value is still the one a window set it becomes what it was before; a value of others is left alone. */
const putBack = async (handle: ConnectionHandle, store: Store, node: Node, entry: PutBack): Promise<void> => {
  const redis = await readyClient(handle.config.id, node, 'write');
  if (sameFlags(await readFlags(redis), entry.during)) await writeFlags(redis, entry.before);
  await forgetPutBack(store, handle.config.id, node.id);
};

/** What a process that died in a window left behind is put back. Does nothing while a window is open. */
export const putBackLeft = async (handle: ConnectionHandle, store: Store): Promise<void> => {
  const { id } = handle.config;
  const left = (await readSampling(store, id)).putBack;
  if (left.length === 0) return;
  await withWindowLease(store, handle, 0, async () => {
    for (const entry of (await readSampling(store, id)).putBack) {
      const node = handle.topology.primaries().find((one) => one.id === entry.node);
      if (node) await putBack(handle, store, node, entry);
    }
  });
};

/**
 * Runs `work` with the flags it needs on one primary, and puts back what was there before. On record before anything
 * is changed, so that a crash leaves what is to be put back. Throws 409 without consent to the present value.
 */
export const withFlags = async <T>(
  { handle, store, consent }: { handle: ConnectionHandle; store: Store; consent: Consent | null },
  node: Node,
  work: () => Promise<T>,
): Promise<T> => {
  const { id, readOnly } = handle.config;
  const redis = await readyClient(id, node, 'write');
  const before = await readFlags(redis);
  const watched = async (): Promise<T> => {
    const done = await work();
    if (!isSufficient(await readFlags(redis)))
      throw new Problem('conflict', 'Somebody changed notify-keyspace-events while the window was open.');
    return done;
  };
  if (isSufficient(before)) return watched();
  if (readOnly || handle.role() === 'replica')
    throw new Problem(
      'read_only',
      `Connection "${id}" is read-only, and its notify-keyspace-events lacks E or m.`,
    );
  const agreed = consent?.presents[node.id];
  if (agreed === undefined || !sameFlags(agreed, before)) throw needsConsent(before);
  const entry = { node: node.id, before, during: mergeFlags(before), since: Date.now() };
  await notePutBack(store, id, entry);
  try {
    await writeFlags(redis, entry.during);
    return await watched();
  } finally {
    // Where the server is out of reach now it stays on record, and is put back when it returns.
    await putBack(handle, store, node, entry).catch(() => undefined);
  }
};
