import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { mapInSteps } from '@/lib/in-steps';
import type { Family } from '@/lib/keyspace/family';
import { type Place, pageOfRows } from '@/lib/list-page';
import { iso } from '@/lib/time';
import { namedChannel } from './channel-name';
import { type Hub, hubOf } from './hub';
import { type ActiveChannel, pubSubState } from './pubsub-state';
import { type ChannelKind, type ChannelRow, type channelContracts, KINDS } from './schema';

interface Row {
  row: ChannelRow;
  name: Buffer;
  digest: string;
}

/** Families first, in the catalog's order; then by name. */
const placeOf =
  (order: ReadonlyMap<string, number>) =>
  ({ row: { kind, family, channel }, digest }: Row): Place => [
    KINDS.indexOf(kind),
    family === null ? order.size : (order.get(family) ?? order.size),
    channel,
    digest,
  ];
const SHAPE = ['number', 'number', 'string', 'string'] as const;

const rowOf = (
  ctx: ReadContext,
  hub: Hub,
  kind: ChannelKind,
  name: Buffer,
  subscribers: number | null,
): Row => {
  const { shown, id, family, digest } = namedChannel(ctx, name);
  const watch = hub.find({ kind, name });
  const own = hub.isSubscribed({ kind, name }) ? 1 : 0;
  return {
    row: {
      kind,
      channel: shown,
      channelId: id,
      family: family?.id ?? null,
      familyTitle: family?.title ?? null,
      subscribers: subscribers === null ? null : Math.max(0, subscribers - own),
      messagesPerSecond: watch?.rate(ctx.now()) ?? null,
      watched: watch !== undefined && watch.since !== null,
    },
    name,
    digest,
  };
};

/** Names are classified and masked: ten thousand of them take a while. */
const PER_STEP = 500;

const keyOf = (kind: ChannelKind, name: Buffer): string => `${kind} ${name.toString('latin1')}`;

/** The channels of families that consist of one channel: they are known without a subscriber. */
const namesOfFamilies = (families: readonly Family[]): Buffer[] =>
  families
    .filter(({ type, paramNames }) => type === 'channel' && paramNames.length === 0)
    .map((family) => Buffer.from(family.pattern));

/**
 * Active channels, those of the catalog that always have the same name, and the patterns of this console: Redis does not
 * tell those of others. Throws a 503 `Problem`.
 */
export const listChannels: ReadOf<typeof channelContracts.list> = async (ctx, { q, ...page }) => {
  const hub = hubOf(ctx.connection);
  const { at, plain, sharded, patterns, patternClients, missing } = await pubSubState(ctx.connection);
  const rowsOf = (kind: ChannelKind, active: readonly ActiveChannel[]): Promise<Row[]> =>
    mapInSteps(active, PER_STEP, ({ name, subscribers }) => rowOf(ctx, hub, kind, name, subscribers));
  const rows = [
    ...(await rowsOf('channel', plain.channels)),
    ...(await rowsOf('sharded', sharded?.channels ?? [])),
  ];
  const listed = new Set(rows.map(({ row: { kind }, name }) => keyOf(kind, name)));
  const add = (kind: ChannelKind, name: Buffer): void => {
    if (listed.has(keyOf(kind, name))) return;
    listed.add(keyOf(kind, name));
    rows.push(rowOf(ctx, hub, kind, name, kind === 'pattern' ? null : 0));
  };
  for (const { kind, name } of hub.watched()) add(kind, name);
  for (const name of namesOfFamilies(ctx.catalog.families)) add('channel', name);
  const wanted = q?.trim().toLowerCase() ?? '';
  const found = rows.filter(({ row }) => row.channel.toLowerCase().includes(wanted));
  const order = new Map(ctx.catalog.families.map(({ id }, i) => [id, i]));
  const { items, nextCursor } = pageOfRows(found, page, SHAPE, placeOf(order));
  const lists = [plain, ...(sharded ? [sharded] : [])];
  return {
    items: items.map(({ row }) => row),
    nextCursor,
    active: lists.reduce((sum, { active }) => sum + active, 0),
    complete: missing.length === 0 && lists.every(({ channels, active }) => active === channels.length),
    patterns,
    patternClients,
    sharded: sharded !== null,
    missingNodes: missing,
    sampledAt: iso(at),
  };
};
