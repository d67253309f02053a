import 'server-only';
import { type FoundLink, findLink } from '@/lib/access/invitations';
import { hashPassword } from '@/lib/access/passwords';
import { userActor } from '@/lib/access/sign-in';
import { invitationBucket, refundAttempt, takeAttempt } from '@/lib/access/throttle';
import { updateUser } from '@/lib/access/users';
import { anonymous } from '@/lib/actor';
import { recordRefusal } from '@/lib/audit/record';
import type { ConsoleContext } from '@/lib/command/context';
import { defineConsoleCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { Contract, Input, Result } from '@/lib/contract';
import { Problem, throttled } from '@/lib/errors';
import { iso } from '@/lib/time';
import { notUpdated, recorded } from '../recorded';
import { linkContracts } from './schema';

type PublicRequest = ConsoleContext & { address: string };

const ended = (): Problem =>
  new Problem(
    'not_found',
    'This link is not valid: it was used, replaced or withdrawn, or has expired. Ask an admin for a new one.',
  );

/**
 * The user of a code. Throws 404 for every other code, and 429 with `Retry-After` after several of them from one
 * network; both are in the audit log, without the code.
 */
const admitted = async (ctx: PublicRequest, { id }: Contract, code: string): Promise<FoundLink> => {
  const { store, now, address, requestId } = ctx;
  const refused = (why: string) =>
    recordRefusal({ actor: anonymous(), action: id, requestId, detail: `${why}, from ${address}` });
  const buckets = [invitationBucket(address)];
  const wait = await takeAttempt(store, buckets, now());
  if (wait > 0) {
    await refused('throttled');
    throw throttled(`Too many links that are not valid. Try again in ${wait} s.`, wait);
  }
  const found = await findLink(store, code, now());
  if (!found) {
    await refused('the link is not valid');
    throw ended();
  }
  await refundAttempt(store, buckets);
  return found;
};

export const readInvitation = async (
  ctx: PublicRequest,
  { code }: Input<typeof linkContracts.get>,
): Promise<Result<typeof linkContracts.get>> => {
  const { user, kind, expiresAt } = await admitted(ctx, linkContracts.get, code);
  const { email, name } = user;
  return { email, name, kind, linkUntil: iso(expiresAt) };
};

/** The epoch decides: of several acceptances at once one finds the user as it was when the link was made. */
const acceptInvitation = defineConsoleCommand({
  contract: linkContracts.accept,
  target: (_, { actor }) => (actor.kind === 'user' ? actor.email : actor.name),
  redact: () => ({ code: '(hidden)', password: '(hidden)' }),
  run: async ({ store, now }, { code, password }) => {
    const passwordHash = await hashPassword(password);
    const found = await findLink(store, code, now());
    if (!found) throw ended();
    const { id, email, epoch } = found.user;
    const updated = await updateUser(store, id, { passwordHash }, epoch);
    if (!updated.ok) throw updated.reason === 'changed' ? ended() : notUpdated(updated.reason, 'This user');
    return { result: { email }, ...recorded(updated) };
  },
});

/** Sets the password of the link's user, in that user's name. */
export const acceptLink = async (
  ctx: PublicRequest,
  raw: Input<typeof linkContracts.accept>,
): Promise<Result<typeof linkContracts.accept>> => {
  const { user } = await admitted(ctx, linkContracts.accept, raw.code);
  const { requestId, address } = ctx;
  return runCommand(acceptInvitation, { actor: userActor(user), requestId, address, connection: null, raw });
};
