import 'server-only';
import { ownerOf } from '@/lib/actor';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { badField, throttled } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import { globParts, matchesGlob } from '@/lib/keyspace/glob';
import { processWide } from '@/lib/process-wide';
import { MINUTE, SECOND } from '@/lib/time';
import { channelOf, isReserved, namedChannel } from './channel-name';
import { fieldsOf, rulesFor } from './fields';
import { hubOf } from './hub';
import { pubSubState, subscribersOf } from './pubsub-state';
import { channelContracts } from './schema';

/** Messages of one user a minute in this process, with all their tokens. */
export const MAX_PUBLISHED = 30;

const published = processWide('published messages', () => new Map<string, number[]>());

/** Counts a message. The seconds to wait until another is allowed, 0 where this one is. */
const takeOne = (user: string, now: number): number => {
  const all = published();
  for (const [sender, times] of all) if (times.at(-1)! <= now - MINUTE) all.delete(sender);
  const times = (all.get(user) ?? []).filter((at) => at > now - MINUTE);
  if (times.length >= MAX_PUBLISHED) return Math.max(1, Math.ceil((times[0]! + MINUTE - now) / SECOND));
  all.set(user, [...times, now]);
  return 0;
};

const admits = ({ actor, now }: Pick<ReadContext, 'actor' | 'now'>): void => {
  const wait = takeOne(ownerOf(actor) ?? `${actor.kind} ${actor.id}`, now());
  if (wait > 0) throw throttled(`At most ${MAX_PUBLISHED} messages a minute. Try again in ${wait} s.`, wait);
};

const RESERVED = 'Only Redis or Keyward publishes there: clients would take the message for one of theirs.';

/** How often this process gets a message of a channel itself. */
const ownReceivers = (ctx: ReadContext, name: Buffer, isSharded: boolean): number => {
  const hub = hubOf(ctx.connection);
  const kind = isSharded ? 'sharded' : 'channel';
  return hub
    .watched()
    .filter((watch) => hub.isSubscribed(watch))
    .filter((watch) =>
      watch.kind === 'pattern'
        ? !isSharded && matchesGlob(globParts(watch.name), name)
        : watch.kind === kind && watch.name.equals(name),
    ).length;
};

/** How many listen to a channel now, without this console. Throws a 503 `Problem`. */
export const readAudience: ReadOf<typeof channelContracts.audience> = async (ctx, { sharded, ...named }) => {
  const name = channelOf(ctx, named);
  const { shown, family } = namedChannel(ctx, name);
  const own = hubOf(ctx.connection).isSubscribed({ kind: sharded ? 'sharded' : 'channel', name }) ? 1 : 0;
  const subscribers = await subscribersOf(ctx.connection, name, sharded);
  const { patternClients } = await pubSubState(ctx.connection);
  return {
    channel: shown,
    family: family?.id ?? null,
    subscribers: Math.max(0, subscribers - own),
    // Patterns do not match sharded channels.
    patternClients: sharded ? 0 : patternClients,
  };
};

/** What the audit log has of a payload: never the payload itself. */
const auditedPayload = (payload: string) => {
  const { type, action } = fieldsOf(payload, false, rulesFor(false));
  return {
    bytes: Buffer.byteLength(payload),
    digest: digest('audit-digest', payload, 22),
    ...(type !== undefined && { type }),
    ...(action !== undefined && { action }),
  };
};

export const publishMessage = defineCommand({
  contract: channelContracts.publish,
  target: (input, ctx) => namedChannel(ctx, channelOf(ctx, input)).shown,
  redact: ({ payload, sharded }) => ({ ...auditedPayload(payload), ...(sharded && { sharded }) }),
  needsConfirmation: () => true,
  // Before there is an intent: nothing is published there.
  needs: (ctx, input) => {
    if (isReserved(channelOf(ctx, input)))
      throw badField(input.channelId === undefined ? 'channel' : 'channelId', RESERVED);
    return [];
  },
  admits,
  run: async (ctx, { payload, sharded, ...named }) => {
    const name = channelOf(ctx, named);
    // In a cluster each server counts its own clients only, and passes the message on.
    const isSpread = ctx.connection.topology.kind === 'cluster' && !sharded;
    const asked = isSpread ? (await readAudience(ctx, { sharded, ...named })).subscribers : null;
    const own = ownReceivers(ctx, name, sharded);
    const reached = await ctx.writer.write([sharded ? 'SPUBLISH' : 'PUBLISH', name, Buffer.from(payload)]);
    const receivers = asked ?? Math.max(0, reached - own);
    return { result: { receivers }, after: { receivers, ...auditedPayload(payload) } };
  },
});
