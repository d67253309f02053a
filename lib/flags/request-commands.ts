import 'server-only';
import { newRequest, refuseOthersWithdrawal, refuseOwnDecline } from '@/lib/approval-requests/record';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { scheduledTime } from '@/lib/command/validate';
import type { Input } from '@/lib/contract';
import { badInput, type FieldError, notFound, Problem } from '@/lib/errors';
import { readValue } from '@/lib/values/string-value';
import { writeBoolean } from '@/lib/values/style';
import { newText, readExpected, readSettable } from './change';
import { withFlagLease } from './flag-lease';
import { flagKey, flagTarget, whyNoFlagName } from './names';
import {
  findRequest,
  readRequests,
  removeRequest,
  requestFor,
  type StoredRequest,
  storeRequest,
  toFlagRequest,
} from './requests';
import { NOT_SCHEDULED, scheduledFor } from './scheduled-changes';
import { flagContracts } from './schema';
import { stateOf } from './state';

type RequestInput = Input<typeof flagContracts.request>;

/** 400 with each field that the requested action lacks or does not take. */
const checkInput = (ctx: ReadContext, input: RequestInput): void => {
  const { action, name, enabled, at, etag, plan } = input;
  const errors: FieldError[] = [];
  if ((action === 'set' || action === 'create') && enabled === undefined)
    errors.push({ path: 'enabled', message: 'Send whether the flag is on or off.' });
  if ((action === 'set' || action === 'delete') && etag === undefined)
    errors.push({ path: 'etag', message: 'Send the etag of the value you read.' });
  if ((action === 'unschedule') !== (plan !== undefined))
    errors.push({
      path: 'plan',
      message: 'Send the id of the scheduled change with `unschedule`, and only then.',
    });
  if (action !== 'set' && at !== undefined)
    errors.push({ path: 'at', message: 'Only `set` can be scheduled for a time.' });
  const message = action === 'create' ? whyNoFlagName(ctx, name) : null;
  if (message !== null) errors.push({ path: 'name', message });
  if (errors.length > 0) throw badInput(errors);
};

type Difference = Pick<StoredRequest, 'from' | 'to' | 'etag'> &
  Partial<Pick<StoredRequest, 'enabled' | 'at' | 'plan'>>;

/** The waiting change that the request cancels. A suspended one needs no request: anyone may cancel it. */
const waitingChange = async (ctx: WriteContext, { name, plan = '' }: RequestInput): Promise<Difference> => {
  const scheduled = (await scheduledFor(ctx, name)).find(({ item }) => item.id === plan);
  if (!scheduled) throw notFound('This scheduled change');
  if (scheduled.item.state !== 'waiting') throw new Problem('conflict', NOT_SCHEDULED);
  return { from: null, to: null, etag: null, enabled: scheduled.data.enabled, at: scheduled.item.at, plan };
};

/** What the change would do to the current value. Fails like the change itself would. */
const differenceOf = async (ctx: WriteContext, input: RequestInput): Promise<Difference> => {
  const { action, name, enabled = false, etag = '' } = input;
  if (action === 'unschedule') return waitingChange(ctx, input);
  if (action === 'create') {
    const key = flagKey(ctx, name);
    if (!key || (await readValue(ctx.reader, key)))
      throw new Problem('conflict', `Flag ${name} already exists.`);
    return { from: null, to: await newText(ctx, enabled), etag: null };
  }
  if (action === 'delete') {
    const value = await readExpected(ctx, name, etag);
    return { from: stateOf(name, value).raw, to: null, etag };
  }
  const { text } = await readSettable(ctx, name, etag);
  return { from: text, to: writeBoolean(text, enabled), etag };
};

const createRequest = async (ctx: WriteContext, input: RequestInput): Promise<StoredRequest> => {
  const { action, name } = input;
  const fields = newRequest(ctx);
  const open = await requestFor(ctx, name);
  // A suspended request cannot be approved any more, so a new one replaces it.
  if (open?.state === 'pending')
    throw new Problem('conflict', `${open.by.name} has already requested a change of this flag.`);
  const request: StoredRequest = {
    ...fields,
    name,
    action,
    enabled: action === 'delete' ? null : (input.enabled ?? null),
    at: input.at === undefined ? null : scheduledTime('at', input.at, ctx.now()),
    ...(await differenceOf(ctx, input)),
    state: 'pending',
  };
  await storeRequest(ctx, request);
  return request;
};

/** flags.request: one open request per flag, 409 for a second. */
export const requestFlagChange = defineCommand({
  contract: flagContracts.request,
  target: flagTarget,
  redact: ({ action, enabled, at }) => ({ action, enabled: enabled ?? null, at: at ?? null }),
  needsConfirmation: ({ action }) => action === 'delete',
  run: async (ctx, input) => {
    checkInput(ctx, input);
    const request = await withFlagLease(ctx, input.name, () => createRequest(ctx, input));
    const { id, from, to } = request;
    return {
      result: { name: request.name, request: toFlagRequest(ctx, request) },
      before: { raw: from },
      after: { id, action: request.action, raw: to },
    };
  },
});

/** Audit target of a decision: the flag's name. */
export const requestTarget = async ({ id }: { id: string }, ctx: ReadContext): Promise<string> =>
  (await readRequests(ctx)).find((request) => request.id === id)?.name ?? 'no request';

/** Runs `decide` on an open request under the flag's lease; 404 if it was decided meanwhile. */
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
      refuseOwnDecline(open, ctx.actor);
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
      refuseOthersWithdrawal(open, ctx.actor);
      await removeRequest(ctx, open.name);
      return closed(open);
    }),
});
