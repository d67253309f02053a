import 'server-only';
import { env } from '@/lib/configuration';
import { open, seal } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { HOUR } from '@/lib/time';
import type { AuditJson } from './define';

/** Stores the sealed undo data of a change. Returns when it expires, epoch ms. */
export const storeUndo = async (
  store: Store,
  auditId: string,
  kept: AuditJson,
  now = Date.now(),
): Promise<number> => {
  const lifetime = Math.round(env().undo.hours * HOUR);
  const sealed = seal('undo', Buffer.from(JSON.stringify(kept)), auditId);
  await store.use((redis) => redis.set(consoleFamilies.undo.key({ id: auditId }), sealed, 'PX', lifetime));
  return now + lifetime;
};

/** The undo data; null when it expired, was used, or was altered. */
export const readUndo = async (store: Store, auditId: string): Promise<AuditJson | null> => {
  const sealed = await store.use((redis) => redis.getBuffer(consoleFamilies.undo.key({ id: auditId })));
  const plain = sealed ? open('undo', sealed, auditId) : null;
  return plain ? (JSON.parse(plain.toString('utf8')) as AuditJson) : null;
};

/** When the undo data expires, epoch ms; null without any. */
export const undoExpiresAt = (store: Store, auditId: string, now = Date.now()): Promise<number | null> =>
  store.use(async (redis) => {
    const left = await redis.pttl(consoleFamilies.undo.key({ id: auditId }));
    return left > 0 ? now + left : null;
  });

export const deleteUndo = async (store: Store, auditId: string): Promise<void> => {
  await store.use((redis) => redis.unlink(consoleFamilies.undo.key({ id: auditId })));
};
