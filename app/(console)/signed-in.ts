import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { currentActor } from '@/lib/access/current';
import type { Actor } from '@/lib/actor';
import { withoutStore } from '@/lib/redis/failure';

/**
 * Who looks at this page. People only: an API token has no pages. Asked by every layout and page for itself, because
 * a client's request decides which of them Next renders.
 */
export const signedInUser = async (): Promise<Extract<Actor, { kind: 'user' }>> => {
  // Nobody whom this process has not seen is let in while the store is gone; the form says so to who signs in.
  const actor = await currentActor().catch(withoutStore(null));
  if (actor?.kind !== 'user') redirect((await headers()).get('x-sign-in') ?? '/sign-in');
  return actor;
};
