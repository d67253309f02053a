import 'server-only';
import { z } from 'zod';
import { type Principal, principalOf } from '@/lib/access/on-behalf-of';
import { type Actor, ownerOf } from '@/lib/actor';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { may } from '@/lib/permissions';
import { parseStored } from '@/lib/stored-json';
import { iso, isoOrNull } from '@/lib/time';
import { type FlagRequest, REQUESTED } from './schema';

/** A requested change as stored: one open request per flag. Times are epoch ms. */
const request = z.object({
  id: z.string(),
  name: z.string(),
  action: z.enum(REQUESTED),
  enabled: z.boolean().nullable(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Etag of the value to change; null to create a flag. */
  etag: z.string().nullable(),
  at: z.number().nullable(),
  /** Id of the scheduled change to cancel, for `unschedule`. */
  plan: z.string().nullish(),
  by: z.object({ kind: z.enum(['user', 'token']), id: z.string(), name: z.string() }),
  /** Id of the requesting user, also behind an API token; null for a token of the configuration. */
  owner: z.string().nullish(),
  requestedAt: z.number(),
  reason: z.string().nullable(),
  state: z.enum(['pending', 'suspended']),
  why: z.string().nullable(),
});
export interface StoredRequest extends z.output<typeof request> {
  by: Principal;
}

const requestsKey = (ctx: ReadContext): Buffer =>
  consoleFamilies.flagRequest.key({ connection: ctx.connection.config.id });

/** All open requests of a connection, oldest first. */
export const readRequests = async (ctx: ReadContext): Promise<StoredRequest[]> => {
  const texts = await ctx.store.use((redis) => redis.hvals(requestsKey(ctx)));
  return texts
    .flatMap((text) => parseStored(request, text) ?? [])
    .sort((a, b) => a.requestedAt - b.requestedAt);
};

/** Number of pending requests that this caller may decide, without their own. */
export const countToDecide = async (ctx: ReadContext): Promise<number> => {
  const requests = (await readRequests(ctx)).map((stored) => toFlagRequest(ctx, stored));
  return requests.filter(({ state, mayDecide }) => state === 'pending' && mayDecide).length;
};

/** The open request for a flag. */
export const requestFor = async (ctx: ReadContext, name: string): Promise<StoredRequest | null> =>
  parseStored(request, await ctx.store.use((redis) => redis.hget(requestsKey(ctx), name)));

/** The open request with this id; 404 if it was decided, withdrawn or never made. */
export const findRequest = async (ctx: ReadContext, id: string): Promise<StoredRequest> => {
  const request = (await readRequests(ctx)).find((candidate) => candidate.id === id);
  if (!request) throw notFound('This request');
  return request;
};

/** Stores a request; replaces the flag's previous one. */
export const storeRequest = async (ctx: WriteContext, stored: StoredRequest): Promise<void> => {
  await ctx.store.use((redis) => redis.hset(requestsKey(ctx), stored.name, JSON.stringify(stored)));
};

export const removeRequest = async (ctx: WriteContext, name: string): Promise<void> => {
  await ctx.store.use((redis) => redis.hdel(requestsKey(ctx), name));
};

/** Whether the actor made the request, also through one of their API tokens. */
export const isBy = ({ by, owner }: StoredRequest, actor: Actor): boolean => {
  const user = principalOf(actor);
  const requester = owner ?? (by.kind === 'user' ? by.id : null);
  return (
    (user !== null && user.kind === by.kind && user.id === by.id) ||
    (requester !== null && requester === ownerOf(actor))
  );
};

/** Tokens of the configuration, and tokens made with them, cannot approve, because they belong to no user. */
const mayApprove = (stored: StoredRequest, actor: Actor): boolean =>
  actor.role !== null && may(actor.role, 'flags:approve') && ownerOf(actor) !== null && !isBy(stored, actor);

/** A request as the API returns it to this caller. */
export const toFlagRequest = (ctx: ReadContext, stored: StoredRequest): FlagRequest => ({
  id: stored.id,
  action: stored.action,
  from: stored.from,
  to: stored.to,
  enabled: stored.enabled,
  at: isoOrNull(stored.at),
  plan: stored.plan ?? null,
  by: stored.by.name,
  requestedAt: iso(stored.requestedAt),
  reason: stored.reason,
  state: stored.state,
  why: stored.why,
  mayDecide: mayApprove(stored, ctx.actor),
});
