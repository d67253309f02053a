import 'server-only';
import { withMonitorLease } from '@/lib/calls/monitor-lease';
import { Problem } from '@/lib/errors';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import {
  isSufficient,
  mergeFlags,
  readFlags,
  readNodeFlags,
  sameFlags,
  writeFlags,
} from '@/lib/redis/keyspace-events';
import type { Store } from '@/lib/redis/store';
import { type Node, readyClient, withServerAt } from '@/lib/redis/topology';
import {
  type ChangedFlags,
  type Consent,
  deleteChangedFlags,
  presentAgreed,
  readSampling,
  saveChangedFlags,
} from './state';

/** The flags of one primary without those that an open window added. Null where the server does not let us read them. */
export const flagsOf = async (handle: ConnectionHandle, store: Store, node: Node): Promise<string | null> => {
  const { id } = handle.config;
  const redis = await readyClient(id, node, 'read');
  const flags = await readNodeFlags(node, redis).catch(() => null);
  // An earlier version, which knew one server only, recorded the connection's id.
  const changed = (await readSampling(store, id)).toRestore.find((entry) =>
    [node.id, id].includes(entry.node),
  );
  return changed && flags !== null && sameFlags(flags, changed.during) ? changed.before : flags;
};

/** Whether every primary already publishes what windows need, so that no server setting has to change. */
export const publishesMisses = async (handle: ConnectionHandle, store: Store): Promise<boolean> => {
  const flags = await Promise.all(
    (await knownPrimaries(handle)).map((node) => flagsOf(handle, store, node).catch(() => null)),
  );
  return flags.every((value) => value !== null && isSufficient(value));
};

const needsConsent = (present: string): Problem =>
  new Problem('conflict', 'notify-keyspace-events lacks E or m, and nobody agreed to add them.', {
    extensions: { present, proposed: mergeFlags(present) },
  });

/**
 * Restores the flags on the server where a window changed them, unless somebody changed them since. Throws while that
 * server does not answer.
 */
const restoreFlags = async (handle: ConnectionHandle, store: Store, changed: ChangedFlags): Promise<void> => {
  const { id } = handle.config;
  const place = changed.node === id ? handle.topology.primaries()[0]!.id : changed.node;
  await withServerAt(id, handle.topology, place, async (redis) => {
    if (sameFlags(await readFlags(redis), changed.during)) await writeFlags(redis, changed.before);
  });
  await deleteChangedFlags(store, id, changed.node);
};

/**
 * Restores the flags that a process left changed when it died. Does nothing while a window is open. Flags of an
 * unreachable server stay in the store for the next attempt.
 */
export const restoreLeftFlags = async (handle: ConnectionHandle, store: Store): Promise<void> => {
  const { id } = handle.config;
  const { toRestore } = await readSampling(store, id);
  if (toRestore.length === 0) return;
  await withMonitorLease(store, handle, 0, async () => {
    // Users see what is still to restore.
    for (const changed of (await readSampling(store, id)).toRestore)
      await restoreFlags(handle, store, changed).catch(() => undefined);
  });
};

/**
 * Runs `work` with the flags it needs on one primary, then restores the previous ones. These are stored first, so they
 * can be restored after a crash. Throws 409 without consent to changing the current value.
 */
export const withFlags = async <T>(
  { handle, store, consent }: { handle: ConnectionHandle; store: Store; consent: Consent | null },
  node: Node,
  work: () => Promise<T>,
): Promise<T> => {
  const { id, readOnly } = handle.config;
  const redis = await readyClient(id, node, 'write');
  const [before, place] = [await readNodeFlags(node, redis), node.id];
  const watched = async (): Promise<T> => {
    const done = await work();
    if (node.id !== place)
      throw new Problem('conflict', 'Another server became the primary while the window was open.');
    if (!isSufficient(await readNodeFlags(node, redis)))
      throw new Problem('conflict', 'Somebody changed notify-keyspace-events while the window was open.');
    return done;
  };
  if (isSufficient(before)) return watched();
  if (readOnly || handle.role() === 'replica')
    throw new Problem(
      'read_only',
      `Connection "${id}" is read-only, and its notify-keyspace-events lacks E or m.`,
    );
  const agreed = presentAgreed(consent, id, place);
  if (agreed === undefined || !sameFlags(agreed, before)) throw needsConsent(before);
  const changed = { node: place, before, during: mergeFlags(before), since: Date.now() };
  await saveChangedFlags(store, id, changed);
  try {
    await withServerAt(id, handle.topology, place, (server) => writeFlags(server, changed.during));
    return await watched();
  } finally {
    // While the server is unreachable the flags stay in the store, and are restored when it returns.
    await restoreFlags(handle, store, changed).catch(() => undefined);
  }
};
