import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { approvableCommand } from '@/lib/command/registry';
import { notFound, Problem, throttled } from '@/lib/errors';
import { digest, open, seal } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Permission } from '@/lib/permissions';
import { withLease } from '@/lib/redis/lease';
import { parseStored } from '@/lib/stored-json';
import { DAY, MINUTE, SECOND } from '@/lib/time';
import { byAge, isBy, isExpired, mayDecide, type RequestReader, requestFields } from './record';

const impact = z.object({
  count: z.number().nullable(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});

/** A request for any change, without its input, which is sealed beside it. */
const changeRequest = z.object({
  ...requestFields,
  expiresAt: z.number(),
  operation: z.string(),
  /** The target and the input, as the audit log stores them. */
  target: z.string(),
  input: z.json(),
  /** What the change would have touched when it was requested. */
  was: impact,
  /** Equal for equal inputs. */
  same: z.string(),
  state: z.enum(['pending', 'suspended', 'executing', 'inDoubt']),
  executingSince: z.number().nullish(),
});
export type ChangeRequest = z.output<typeof changeRequest>;

/** Longer than any change runs that is no job. */
const MAX_EXECUTION_MS = 2 * MINUTE;

/** The state that counts now. A process that died while it executed a change leaves it in doubt. */
export const stateNow = (request: ChangeRequest, now: number): ChangeRequest['state'] | 'expired' => {
  const { state, executingSince } = request;
  if (state === 'executing') return now - (executingSince ?? 0) > MAX_EXECUTION_MS ? 'inDoubt' : state;
  return state === 'pending' && isExpired(request, now) ? 'expired' : state;
};

const requestsKey = ({ connection }: RequestReader): Buffer =>
  consoleFamilies.approvalRequest.key({ connection: connection.config.id });

const inputKey = ({ connection }: RequestReader, id: string): Buffer =>
  consoleFamilies.approvalInput.key({ connection: connection.config.id, id });

/** How long an expired request is listed, ms. */
const LISTED_MS = 7 * DAY;

/** All requests of a connection, oldest first; those that expired long ago are left out. */
export const readChangeRequests = async (ctx: RequestReader): Promise<ChangeRequest[]> => {
  const texts = await ctx.store.use((redis) => redis.hvals(requestsKey(ctx)));
  return texts
    .flatMap((text) => parseStored(changeRequest, text) ?? [])
    .filter(({ expiresAt }) => expiresAt + LISTED_MS > ctx.now())
    .sort(byAge);
};

/** The request with this id; null if it was decided, withdrawn or never made. */
export const findChangeRequest = async (ctx: RequestReader, id: string): Promise<ChangeRequest | null> =>
  parseStored(changeRequest, await ctx.store.use((redis) => redis.hget(requestsKey(ctx), id)));

/** Deletes the records that are no longer listed. */
const forgetOld = async (ctx: RequestReader): Promise<void> => {
  const stored = await ctx.store.use((redis) => redis.hgetall(requestsKey(ctx)));
  const old = Object.entries(stored).filter(([, text]) => {
    const request = parseStored(changeRequest, text);
    return !request || request.expiresAt + LISTED_MS <= ctx.now();
  });
  const ids = old.map(([id]) => id);
  if (ids.length > 0) await ctx.store.use((redis) => redis.hdel(requestsKey(ctx), ...ids));
};

const MAX_OPEN = 200;
const MAX_OPEN_PER_USER = 20;

/** Throws 409 for a second request of one user for the same input, 429 where too many wait. */
const refuseMore = async (ctx: WriteContext, request: ChangeRequest): Promise<void> => {
  const open = (await readChangeRequests(ctx)).filter((other) => stateNow(other, ctx.now()) === 'pending');
  const own = open.filter((other) => isBy(other, ctx.actor));
  if (own.some(({ same }) => same === request.same))
    throw new Problem('conflict', 'You have already asked for approval of this change.');
  if (own.length >= MAX_OPEN_PER_USER || open.length >= MAX_OPEN)
    throw throttled(`${own.length} of your requests wait for approval: withdraw some first.`, 60);
};

/** Binds a sealed input to its request, so that one copied to another, or a record with another user, opens nothing. */
const boundTo = (
  { connection }: RequestReader,
  { id, operation, by, owner, expiresAt, was }: ChangeRequest,
): string =>
  JSON.stringify([connection.config.id, id, operation, by.kind, by.id, owner ?? null, expiresAt, was.count]);

export const sameInput = (operation: string, raw: unknown): string =>
  digest('approval', JSON.stringify([operation, raw]), 22);

export const storeChangeRequest = async (ctx: RequestReader, request: ChangeRequest): Promise<void> => {
  await ctx.store.use((redis) => redis.hset(requestsKey(ctx), request.id, JSON.stringify(request)));
};

/** Stores a new request and its sealed input, which expires with it. */
export const addChangeRequest = async (
  ctx: WriteContext,
  request: ChangeRequest,
  raw: object,
): Promise<void> => {
  await forgetOld(ctx);
  await refuseMore(ctx, request);
  const sealed = seal('approval', Buffer.from(JSON.stringify(raw)), boundTo(ctx, request));
  await ctx.store.use((redis) =>
    redis.set(inputKey(ctx, request.id), sealed, 'PX', request.expiresAt - ctx.now()),
  );
  await storeChangeRequest(ctx, request);
};

/** The input of a request; null where it expired or was altered. */
export const readChangeInput = async (
  ctx: RequestReader,
  request: ChangeRequest,
): Promise<Record<string, unknown> | null> => {
  const sealed = await ctx.store.use((redis) => redis.getBuffer(inputKey(ctx, request.id)));
  const plain = sealed ? open('approval', sealed, boundTo(ctx, request)) : null;
  return plain ? (JSON.parse(plain.toString('utf8')) as Record<string, unknown>) : null;
};

/** Deletes the input of a request that can no longer be approved. */
export const removeChangeInput = async (ctx: RequestReader, id: string): Promise<void> => {
  await ctx.store.use((redis) => redis.unlink(inputKey(ctx, id)));
};

export const removeChangeRequest = async (ctx: RequestReader, id: string): Promise<void> => {
  await removeChangeInput(ctx, id);
  await ctx.store.use((redis) => redis.hdel(requestsKey(ctx), id));
};

const LEASE_MS = 30 * SECOND;

/** Decides on a request under its lease: of two callers at the same moment one gets 409, and afterwards 404. */
export const decideOn = async <T>(
  ctx: WriteContext,
  id: string,
  decide: (request: ChangeRequest) => Promise<T>,
): Promise<T> => {
  const lease = consoleFamilies.lease.key({ name: `approval-${ctx.connection.config.id}-${id}` });
  const done = await withLease(ctx.store, lease, { ms: LEASE_MS, renewed: true }, async () => {
    const request = await findChangeRequest(ctx, id);
    if (!request) throw notFound('This request');
    return decide(request);
  });
  if (!done.ok) throw new Problem('conflict', 'Someone else is deciding on this request. Try again.');
  return done.value;
};

/** The permission of an operation; null where this version has no such change, or it needs none. */
export const permissionOf = (operation: string): Permission | null => {
  const permission = approvableCommand(operation)?.contract.permission;
  return permission === undefined || permission === 'public' || permission === 'signed-in'
    ? null
    : permission;
};

/** Whether the actor may approve and decline it. Permissions that its input needs too are checked when they do. */
export const mayDecideOn = (request: ChangeRequest, { actor }: Pick<ReadContext, 'actor'>): boolean => {
  const permission = permissionOf(request.operation);
  return permission !== null && mayDecide(request, actor, permission);
};

/** Number of pending requests that this caller may decide, without those of flags. */
export const countChangesToDecide = async (ctx: RequestReader): Promise<number> =>
  (await readChangeRequests(ctx)).filter(
    (request) => stateNow(request, ctx.now()) === 'pending' && mayDecideOn(request, ctx),
  ).length;
