import 'server-only';
import type { Actor } from '@/lib/actor';
import { Problem } from '@/lib/errors';
import { digest, sameDigest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import { findUser } from '../users';
import { hasSecondFactor } from './record';

/** How long a second factor counts for the changes that ask for it. */
export const STEP_UP_MS = 10 * MINUTE;

const keyOf = (session: string): Buffer => consoleFamilies.stepUp.key({ digest: session });
const macOf = (session: string, at: string): string => digest('record', `step-up ${session} ${at}`);

/** Stores that the second factor was given in a session, named by its digest. */
export const recordStepUp = async (store: Store, session: string, now: number): Promise<void> => {
  const at = String(now);
  const value = `${at} ${macOf(session, at)}`;
  await store.use((redis) => redis.set(keyOf(session), value, 'PX', STEP_UP_MS));
};

const isRecent = async (store: Store, session: string, now: number): Promise<boolean> => {
  const [at = '', mac = ''] = ((await store.use((redis) => redis.get(keyOf(session)))) ?? '').split(' ');
  return sameDigest(mac, macOf(session, at)) && now - Number(at) < STEP_UP_MS;
};

/**
 * Throws 403 `step_up_required` where a user with a second factor has not given it in this session for ten minutes.
 * API tokens and scheduled work are not asked, because nobody is there to answer, nor users whom a trusted proxy names:
 * they have no session, and their proxy asks.
 */
export const requireStepUp = async (store: Store, actor: Actor, now: number): Promise<void> => {
  if (actor.kind !== 'user' || actor.session === undefined) return;
  const user = await findUser(store, actor.id);
  if (!user || !hasSecondFactor(user)) return;
  if (await isRecent(store, actor.session, now)) return;
  throw new Problem(
    'step_up_required',
    'Give your second factor again: it was last given more than ten minutes ago.',
  );
};
