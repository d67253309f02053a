import 'server-only';
import { z } from 'zod';
import { type Principal, principalOf } from '@/lib/access/on-behalf-of';
import { type Actor, ownerOf } from '@/lib/actor';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import { may } from '@/lib/permissions';
import { parseStored } from '@/lib/stored-json';
import { iso, isoOrNull } from '@/lib/time';
import { type FlagRequest, REQUESTED } from './schema';

/** A change somebody asked for, as the store keeps it: one open request a flag. Times are epoch ms. */
const request = z.object({
  id: z.string(),
  name: z.string(),
  action: z.enum(REQUESTED),
  enabled: z.boolean().nullable(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Of the value it is meant for; null for a flag that is to be created. */
  etag: z.string().nullable(),
  at: z.number().nullable(),
  /** The plan that is to be taken out. */
  plan: z.string().nullish(),
  by: z.object({ kind: z.enum(['user', 'token']), id: z.string(), name: z.string() }),
  /** The user's id behind it; null where no user is. */
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

/** How many requests wait for this caller to decide; 0 for who may not, or asked for all of them. */
export const countToDecide = async (ctx: ReadContext): Promise<number> => {
  const requests = (await readRequests(ctx)).map((kept) => toFlagRequest(ctx, kept));
  return requests.filter(({ state, mayDecide }) => state === 'pending' && mayDecide).length;
};

/** The open request for a flag. */
export const requestFor = async (ctx: ReadContext, name: string): Promise<StoredRequest | null> =>
  parseStored(request, await ctx.store.use((redis) => redis.hget(requestsKey(ctx), name)));

/** 404 when there is none of this id: decided, withdrawn, or never made. */
export const findRequest = async (ctx: ReadContext, id: string): Promise<StoredRequest> => {
  const found = (await readRequests(ctx)).find((each) => each.id === id);
  if (!found) throw notFound('This request');
  return found;
};

/** Keeps a request, in the place of the flag's one before. */
export const storeRequest = async (ctx: WriteContext, kept: StoredRequest): Promise<void> => {
  await ctx.store.use((redis) => redis.hset(requestsKey(ctx), kept.name, JSON.stringify(kept)));
};

export const removeRequest = async (ctx: WriteContext, name: string): Promise<void> => {
  await ctx.store.use((redis) => redis.hdel(requestsKey(ctx), name));
};

/** Whether the same user asked: one who has tokens is no second person through them. */
export const isBy = ({ by, owner }: StoredRequest, actor: Actor): boolean => {
  const user = principalOf(actor);
  const asker = owner ?? (by.kind === 'user' ? by.id : null);
  return (
    (user !== null && user.kind === by.kind && user.id === by.id) ||
    (asker !== null && asker === ownerOf(actor))
  );
};

/** Tokens of the configuration, and those made with them, are no second person: nobody says who holds them. */
const mayApprove = (kept: StoredRequest, actor: Actor): boolean =>
  actor.role !== null && may(actor.role, 'flags:approve') && ownerOf(actor) !== null && !isBy(kept, actor);

/** A request as whoever looks at it sees it. */
export const toFlagRequest = (ctx: ReadContext, kept: StoredRequest): FlagRequest => ({
  id: kept.id,
  action: kept.action,
  from: kept.from,
  to: kept.to,
  enabled: kept.enabled,
  at: isoOrNull(kept.at),
  plan: kept.plan ?? null,
  by: kept.by.name,
  requestedAt: iso(kept.requestedAt),
  reason: kept.reason,
  state: kept.state,
  why: kept.why,
  mayDecide: mayApprove(kept, ctx.actor),
});
