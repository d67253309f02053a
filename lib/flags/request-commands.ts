import 'server-only';
import { principalOf } from '@/lib/access/on-behalf-of';
import { ownerOf } from '@/lib/actor';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { scheduledTime } from '@/lib/command/validate';
import type { Input } from '@/lib/contract';
import { badInput, type FieldError, notFound, Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { readValue } from '@/lib/values/string-value';
import { writeBoolean } from '@/lib/values/style';
import { newText, readExpected, readSettable } from './change';
import { flagTarget } from './commands';
import { withFlagLease } from './flag-lease';
import { flagKey } from './names';
import {
  findRequest,
  isBy,
  readRequests,
  removeRequest,
  requestFor,
  type StoredRequest,
  storeRequest,
  toFlagRequest,
} from './requests';
import { NOT_SCHEDULED, scheduledFor } from './scheduled-changes';
import { flagContracts, flagName } from './schema';
import { stateOf } from './state';

type RequestInput = Input<typeof flagContracts.request>;

/** What each kind of change needs: 400 names what is missing or does not belong. */
const checkInput = ({ action, name, enabled, at, etag, plan }: RequestInput): void => {
  const errors: FieldError[] = [];
  if ((action === 'set' || action === 'create') && enabled === undefined)
    errors.push({ path: 'enabled', message: 'Say whether it is to be on or off.' });
  if ((action === 'set' || action === 'delete') && etag === undefined)
    errors.push({ path: 'etag', message: 'Send the etag of what was read.' });
  if ((action === 'unschedule') !== (plan !== undefined))
    errors.push({ path: 'plan', message: 'Name the plan that is to be taken out, and only then.' });
  if (action !== 'set' && at !== undefined)
    errors.push({ path: 'at', message: 'Only turning a flag on or off can be planned for a time.' });
  const named = action === 'create' ? flagName.safeParse(name) : null;
  if (named && !named.success)
    errors.push({ path: 'name', message: named.error.issues[0]?.message ?? 'This is no name of a flag.' });
  if (errors.length > 0) throw badInput(errors);
};

type Difference = Pick<StoredRequest, 'from' | 'to' | 'etag'> &
  Partial<Pick<StoredRequest, 'enabled' | 'at' | 'plan'>>;

/** A plan that still waits; one that is suspended is taken out by anybody. */
const waitingChange = async (ctx: WriteContext, { name, plan = '' }: RequestInput): Promise<Difference> => {
  const found = (await scheduledFor(ctx, name)).find(({ item }) => item.id === plan);
  if (!found) throw notFound('This plan');
  if (found.item.state !== 'waiting') throw new Problem('conflict', NOT_SCHEDULED);
  return { from: null, to: null, etag: null, enabled: found.data.enabled, at: found.item.at, plan };
};

/** What the change would do to what is there now; refused as the change itself would be. */
const differenceOf = async (ctx: WriteContext, asked: RequestInput): Promise<Difference> => {
  const { action, name, enabled = false, etag = '' } = asked;
  if (action === 'unschedule') return waitingChange(ctx, asked);
  if (action === 'create') {
    const key = flagKey(ctx, name);
    if (!key || (await readValue(ctx.reader, key)))
      throw new Problem('conflict', `There is a flag ${name} already.`);
    return { from: null, to: await newText(ctx, enabled), etag: null };
  }
  if (action === 'delete') {
    const value = await readExpected(ctx, name, etag);
    return { from: stateOf(name, value).raw, to: null, etag };
  }
  const { text } = await readSettable(ctx, name, etag);
  return { from: text, to: writeBoolean(text, enabled), etag };
};

const ask = async (ctx: WriteContext, asked: RequestInput): Promise<StoredRequest> => {
  const { action, name } = asked;
  const by = principalOf(ctx.actor);
  if (!by) throw new Problem('forbidden', 'Only a user or an API token can ask for something.');
  const open = await requestFor(ctx, name);
  // A suspended one waits for nothing any more: a new one takes its place.
  if (open?.state === 'pending')
    throw new Problem('conflict', `${open.by.name} has asked for a change of this flag already.`);
  const kept: StoredRequest = {
    id: newId(),
    name,
    action,
    enabled: action === 'delete' ? null : (asked.enabled ?? null),
    at: asked.at === undefined ? null : scheduledTime('at', asked.at, ctx.now()),
    ...(await differenceOf(ctx, asked)),
    by,
    owner: ownerOf(ctx.actor),
    requestedAt: ctx.now(),
    reason: ctx.reason,
    state: 'pending',
    why: null,
  };
  await storeRequest(ctx, kept);
  return kept;
};

/** Asks for a change that somebody else approves. One open request a flag: 409 for a second. */
export const requestFlagChange = defineCommand({
  contract: flagContracts.request,
  target: flagTarget,
  redact: ({ action, enabled, at }) => ({ action, enabled: enabled ?? null, at: at ?? null }),
  needsConfirmation: ({ action }) => action === 'delete',
  run: async (ctx, input) => {
    checkInput(input);
    const kept = await withFlagLease(ctx, input.name, () => ask(ctx, input));
    const { id, from, to } = kept;
    return {
      result: { name: kept.name, request: toFlagRequest(ctx, kept) },
      before: { raw: from },
      after: { id, action: kept.action, raw: to },
    };
  },
});

/** The name of the flag a request is about, for the audit log. */
export const requestTarget = async ({ id }: { id: string }, ctx: ReadContext): Promise<string> =>
  (await readRequests(ctx)).find((each) => each.id === id)?.name ?? 'no request';

/** Works on an open request while nobody else decides about it; 404 when it is decided by then. */
export const decideOnRequest = async <T>(
  ctx: WriteContext,
  id: string,
  decide: (open: StoredRequest) => Promise<T>,
): Promise<T> => {
  const { name } = await findRequest(ctx, id);
  return withFlagLease(ctx, name, async () => decide(await findRequest(ctx, id)));
};

const closed = ({ name, action, from, to, by, reason }: StoredRequest) => ({
  result: { name },
  before: { action, raw: from, requested: to, requestedBy: by.name, requestReason: reason },
});

export const declineFlagChange = defineCommand({
  contract: flagContracts.decline,
  target: requestTarget,
  redact: ({ id }) => ({ id }),
  run: (ctx, { id }) =>
    decideOnRequest(ctx, id, async (open) => {
      if (isBy(open, ctx.actor))
        throw new Problem('forbidden', 'You asked for this yourself: withdraw it instead.');
      await removeRequest(ctx, open.name);
      return closed(open);
    }),
});

export const withdrawFlagChange = defineCommand({
  contract: flagContracts.withdraw,
  target: requestTarget,
  redact: ({ id }) => ({ id }),
  run: (ctx, { id }) =>
    decideOnRequest(ctx, id, async (open) => {
      if (!isBy(open, ctx.actor))
        throw new Problem('forbidden', `${open.by.name} asked for this: who may approve can decline it.`);
      await removeRequest(ctx, open.name);
      return closed(open);
    }),
});
