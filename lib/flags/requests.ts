import 'server-only';
import { z } from 'zod';
import { byAge, isExpired, mayDecide, type Requested, requestFields } from '@/lib/approval-requests/record';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { parseStored } from '@/lib/stored-json';
import { iso, isoOrNull } from '@/lib/time';
import { type FlagRequest, REQUESTED } from './schema';

/** A requested change as stored: one open request per flag. Times are epoch ms. */
const request = z.object({
  ...requestFields,
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
  state: z.enum(['pending', 'suspended']),
});
export interface StoredRequest extends Omit<z.output<typeof request>, keyof Requested>, Requested {}

const requestsKey = (ctx: ReadContext): Buffer =>
  consoleFamilies.flagRequest.key({ connection: ctx.connection.config.id });

/** All requests of a connection, oldest first, also expired ones. */
export const readAllRequests = async (ctx: ReadContext): Promise<StoredRequest[]> => {
  const texts = await ctx.store.use((redis) => redis.hvals(requestsKey(ctx)));
  return texts.flatMap((text) => parseStored(request, text) ?? []).sort(byAge);
};

/** All open requests of a connection, oldest first. */
export const readRequests = async (ctx: ReadContext): Promise<StoredRequest[]> =>
  (await readAllRequests(ctx)).filter((stored) => !isExpired(stored, ctx.now()));

/** Number of pending requests that this caller may decide, without their own. */
export const countToDecide = async (ctx: ReadContext): Promise<number> => {
  const requests = (await readRequests(ctx)).map((stored) => toFlagRequest(ctx, stored));
  return requests.filter(({ state, mayDecide }) => state === 'pending' && mayDecide).length;
};

/** The open request for a flag. */
export const requestFor = async (ctx: ReadContext, name: string): Promise<StoredRequest | null> => {
  const stored = parseStored(request, await ctx.store.use((redis) => redis.hget(requestsKey(ctx), name)));
  return stored && !isExpired(stored, ctx.now()) ? stored : null;
};

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
  mayDecide: mayDecide(stored, ctx.actor, 'flags:approve'),
});
