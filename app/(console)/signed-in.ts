import 'server-only';
import { redirect } from 'next/navigation';
import { currentActor } from '@/lib/access/current';
import type { Actor } from '@/lib/actor';

/**
 * Who looks at this page. People only: an API token has no pages. Asked by every layout and page for itself, because
 * a client's request decides which of them Next renders.
 */
export const signedInUser = async (): Promise<Extract<Actor, { kind: 'user' }>> => {
  const actor = await currentActor();
  if (actor?.kind !== 'user') redirect('/sign-in');
  return actor;
};
