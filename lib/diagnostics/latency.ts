import 'server-only';
import { displayBytes } from '@/lib/catalog/display';
import { findingsOf, type Optional, readSection } from '@/lib/redis/section';
import { readServer, readSetting } from '@/lib/redis/server-reads';
import { HOUR, iso, SECOND } from '@/lib/time';
import type { Source } from './source';

const MAX_ROUND_TRIP_MS = 10;
/** The server knows about thirty events; names are its own. */
const MAX_EVENTS = 30;
const EVENT_NAME = /^[\w-]{1,64}$/;

type Latest = [name: Buffer, at: number, latestMs: number, maxMs: number];

const spikesSince = async ({ ctx, now }: Source, event: string): Promise<number | null> => {
  if (!EVENT_NAME.test(event)) return null;
  const history = (await readServer(ctx.connection, ['LATENCY', 'HISTORY', event])) as [number, number][];
  return history.filter(([at]) => at * SECOND >= now - HOUR).length;
};

const readEvents = async (source: Source, optional: Optional) => {
  const latest = (await readServer(source.ctx.connection, ['LATENCY', 'LATEST'])) as Latest[];
  return Promise.all(
    latest.slice(0, MAX_EVENTS).map(async ([name, at, latestMs, maxMs]) => ({
      ...{ event: displayBytes(name, 64), at: iso(at * SECOND), latestMs, maxMs },
      lastHour: await optional(spikesSince(source, name.toString('latin1'))),
    })),
  );
};

/** The latency the server recorded of itself, and that of one round trip. Changes no setting. */
export const readLatency = (source: Source) =>
  readSection(async (optional) => {
    const events = await readEvents(source, optional);
    const thresholdMs = await optional(readSetting(source.ctx.connection, 'latency-monitor-threshold'));
    const { roundTripMs } = await source.info();
    return {
      figures: { roundTripMs, thresholdMs, events },
      findings: findingsOf({
        monitorOff: thresholdMs === 0,
        spikes: events.some(({ lastHour }) => (lastHour ?? 0) > 0),
        slowRoundTrip: roundTripMs > MAX_ROUND_TRIP_MS,
      }),
    };
  });
