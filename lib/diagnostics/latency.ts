import 'server-only';
import { displayBytes } from '@/lib/keyspace/display';
import { agreed, fromPrimaries, nameBesideOthers } from '@/lib/redis/each-primary';
import { findingsOf, type Optional, readSection } from '@/lib/redis/section';
import { readServer, readSetting } from '@/lib/redis/server-reads';
import type { Node } from '@/lib/redis/topology';
import { HOUR, iso, SECOND } from '@/lib/time';
import type { Source } from './source';

const MAX_ROUND_TRIP_MS = 10;
/** The server has about thirty events, with its own names. */
const MAX_EVENTS = 30;
const EVENT_NAME = /^[\w-]{1,64}$/;

type Latest = [name: Buffer, at: number, latestMs: number, maxMs: number];

const spikesSince = async ({ ctx, now }: Source, node: Node, event: string): Promise<number | null> => {
  if (!EVENT_NAME.test(event)) return null;
  const history = (await readServer(ctx.connection, node, ['LATENCY', 'HISTORY', event])) as [
    number,
    number,
  ][];
  return history.filter(([at]) => at * SECOND >= now - HOUR).length;
};

const readEvents = async (source: Source, node: Node, optional: Optional) => {
  const { connection } = source.ctx;
  const latest = (await readServer(connection, node, ['LATENCY', 'LATEST'])) as Latest[];
  return Promise.all(
    latest.slice(0, MAX_EVENTS).map(async ([name, at, latestMs, maxMs]) => ({
      event: displayBytes(name, 64),
      node: nameBesideOthers(connection, node),
      at: iso(at * SECOND),
      latestMs,
      maxMs,
      lastHour: await optional(spikesSince(source, node, name.toString('latin1'))),
    })),
  );
};

/** The latency recorded by the servers themselves, and the maximum of one round trip each. Changes no setting. */
export const readLatency = (source: Source) =>
  readSection(async (optional) => {
    const { connection } = source.ctx;
    const { answers } = await fromPrimaries(connection, async (node) => ({
      events: await readEvents(source, node, optional),
      thresholdMs: await optional(readSetting(connection, node, 'latency-monitor-threshold')),
    }));
    const events = answers.flatMap(({ value }) => value.events);
    const thresholds = answers.map(({ value }) => value.thresholdMs);
    const { nodes } = await source.info();
    const roundTripMs = Math.max(...nodes.map((node) => node.roundTripMs));
    return {
      figures: { roundTripMs, thresholdMs: agreed(thresholds), events },
      findings: findingsOf({
        monitorOff: thresholds.includes(0),
        spikes: events.some(({ lastHour }) => (lastHour ?? 0) > 0),
        slowRoundTrip: roundTripMs > MAX_ROUND_TRIP_MS,
      }),
    };
  });
