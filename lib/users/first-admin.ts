import 'server-only';
import { createFirstAdmin, needsSetup } from '@/lib/access/setup';
import { userActor } from '@/lib/access/sign-in';
import { refundAttempt, setupBucket, takeAttempt } from '@/lib/access/throttle';
import { anonymous } from '@/lib/actor';
import { recordEvent, recordRefusal } from '@/lib/audit/record';
import type { ConsoleContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { badField, Problem } from '@/lib/errors';
import { tooManyWrong } from './own-user';
import { wireUser } from './reads';
import type { accountContracts } from './schema';

type Setup = typeof accountContracts.setup;

const alreadySetUp = () =>
  new Problem('conflict', 'Keyward is set up already: sign in, or ask an admin for an account.');

/**
 * account.setup: creates the first admin with the code printed at start. 409 once there is a user, 429 with
 * `Retry-After` after several wrong codes from one address. Successes and failures are both in the audit log.
 */
export const setUp = async (
  ctx: ConsoleContext & { address: string },
  input: Input<Setup>,
): Promise<Result<Setup>> => {
  const { store, now, address, requestId } = ctx;
  if (!(await needsSetup(store))) throw alreadySetUp();
  const event = { action: 'account.setup', target: input.email, requestId };
  const buckets = [setupBucket(address)];
  const wait = await takeAttempt(store, buckets, now());
  const refused = (why: string) =>
    recordRefusal({ ...event, actor: anonymous(), detail: `${why}, from ${address}` });
  if (wait > 0) {
    await refused('throttled');
    throw tooManyWrong('codes', wait);
  }
  const created = await createFirstAdmin(store, input, now());
  if (created.ok) {
    await refundAttempt(store, buckets);
    const actor = userActor(created.user);
    await recordEvent({ ...event, actor, outcome: 'succeeded', detail: `from ${address}` });
    return { user: wireUser(created.user) };
  }
  if (created.reason === 'already-set-up') throw alreadySetUp();
  await refused('wrong code');
  throw badField('code', 'This is not the set-up code printed at start.');
};
