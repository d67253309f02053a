import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { currentActor } from '@/lib/access/current';
import type { Actor } from '@/lib/actor';
import { withoutStore } from '@/lib/redis/failure';

/**
 * The user of this page; an API token has no pages. Every layout and page calls it, because the client's request
 * decides which of them Next renders.
 */
export const signedInUser = async (): Promise<Extract<Actor, { kind: 'user' }>> => {
  // While the store is unreachable, users unknown to this process cannot enter; the sign-in form explains it.
  const actor = await currentActor().catch(withoutStore(null));
  if (actor?.kind !== 'user') redirect((await headers()).get('x-sign-in') ?? '/sign-in');
  return actor;
};
