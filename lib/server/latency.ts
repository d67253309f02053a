import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { type LiveRow, readLive } from '@/lib/history/points';
import { displayBytes } from '@/lib/keyspace/display';
import { pageOfRows } from '@/lib/list-page';
import { agreed, fromPrimaries, nameBesideOthers } from '@/lib/redis/each-primary';
import { withoutStore } from '@/lib/redis/failure';
import { orRefused } from '@/lib/redis/section';
import { readServer, readSetting } from '@/lib/redis/server-reads';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import type { Node } from '@/lib/redis/topology';
import { iso, MINUTE, SECOND } from '@/lib/time';
import type { LatencyEvent, serverContracts } from './schema';

type Listed = Result<typeof serverContracts.latency>;

const SHARED_MS = 2 * SECOND;
/** The server knows about thirty events, and stores the last 160 of each. */
const MAX_EVENTS = 50;
const MAX_POINTS = 160;
const ROUND_TRIPS_MS = 10 * MINUTE;
const EVENT_NAME = /^[\w-]{1,64}$/;

type Latest = [name: Buffer, at: number, latestMs: number, maxMs: number];

const readHistory = async ({ connection }: ReadContext, node: Node, event: string) => {
  if (!EVENT_NAME.test(event)) return { value: null, refused: null };
  return orRefused(
    readServer(connection, node, ['LATENCY', 'HISTORY', event]).then((reply) =>
      (reply as [number, number][]).slice(-MAX_POINTS).map(([at, ms]) => ({ at: iso(at * SECOND), ms })),
    ),
  );
};

const roundTripOf = ({ sample }: LiveRow): NonNullable<Listed['roundTrips']>[number] =>
  'bucket' in sample
    ? { at: iso(sample.bucket.at), ms: sample.bucket.latencyMs }
    : { at: iso(sample.at), ms: null };

/** The events of one server. Throws its refusal. */
const readNode = async (ctx: ReadContext, node: Node) => {
  const { connection } = ctx;
  const latest = (await readServer(connection, node, ['LATENCY', 'LATEST'])) as Latest[];
  const items: LatencyEvent[] = [];
  const missing: string[] = [];
  for (const [name, at, latestMs, maxMs] of latest.slice(0, MAX_EVENTS)) {
    const history = await readHistory(ctx, node, name.toString('latin1'));
    missing.push(...(history.refused?.missing ?? []));
    items.push({
      event: displayBytes(name, 64),
      node: nameBesideOthers(connection, node),
      at: iso(at * SECOND),
      latestMs,
      maxMs,
      history: history.value,
    });
  }
  return { items, missing };
};

const read = async (ctx: ReadContext): Promise<Omit<Listed, 'nextCursor'>> => {
  const { connection, store } = ctx;
  const now = ctx.now();
  const events = await orRefused(fromPrimaries(connection, (node) => readNode(ctx, node)));
  const answers = events.value?.answers ?? [];
  const thresholds = await orRefused(
    fromPrimaries(connection, (node) => readSetting(connection, node, 'latency-monitor-threshold')),
  );
  const live = await readLive(store, connection.config.id, now - ROUND_TRIPS_MS).catch(
    withoutStore<LiveRow[] | null>(null),
  );
  return {
    items: answers.flatMap(({ value }) => value.items),
    readAt: iso(now),
    refused: events.refused,
    missingNodes: events.value?.missing ?? [],
    thresholdMs: agreed((thresholds.value?.answers ?? []).map(({ value }) => value)),
    roundTrips: live?.map(roundTripOf) ?? null,
    missing: [
      ...new Set([...(thresholds.refused?.missing ?? []), ...answers.flatMap(({ value }) => value.missing)]),
    ],
  };
};

const shared = sharedAnswer<Omit<Listed, 'nextCursor'>>('latency-events', SHARED_MS);

/** latency.list: the event with the largest spike first. */
export const listLatency = async (
  ctx: ReadContext,
  input: Input<typeof serverContracts.latency>,
): Promise<Listed> => {
  const { items, ...answer } = await shared.of(ctx.connection, () => read(ctx));
  const page = pageOfRows(items, input, ['number', 'string', 'string'], ({ maxMs, event, node }) => [
    -maxMs,
    event,
    node ?? '',
  ]);
  return { ...answer, ...page };
};
