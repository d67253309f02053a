import 'server-only';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Client, Purpose } from './client';
import { clientFields } from './client-line';
import { parseInfo } from './info';
import { type Cut, LatencyGuard } from './latency-guard';
import { BEHIND, CONSOLE_NAME } from './monitor-reader';
import { isAddressShared } from './own-clients';
import { type RoundTrip, timeRoundTrip } from './round-trip';
import { readCommandTable } from './shipped-table';
import type { Node } from './topology';
import { MissStream, MonitorStream, type WindowSink } from './window-streams';

/** The server's counters at a fence, and what this process added to them. */
export interface FenceReading {
  /** Epoch ms of the server's clock. */
  at: number;
  hits: number;
  misses: number;
  commands: number;
  /** `unnamed`: misses whose keys are unknown. */
  own: { hits: number; misses: number; unnamed: number };
  /** Whether no command of our own was running. Otherwise it may have counted on either side of the fence. */
  isIdle: boolean;
}

export interface FencedWindow {
  before: FenceReading;
  after: FenceReading;
  seconds: number;
  /** Why it is shorter than requested. Its counts are exact nevertheless. */
  cutShort: Cut | null;
}

export interface WindowOptions {
  ms: number;
  maxAddedLatencyMs: number;
  signal?: AbortSignal;
  /** PING by default. */
  measure?: () => Promise<RoundTrip>;
}

/** The longest wait for a fence. */
const FENCE_TIMEOUT_MS = 5000;
const PROBE_MS = 20;

/** The window failed and counted nothing. Its message is shown to users. */
export class WindowFailed extends Error {}

const fenceTimeout = (): Promise<never> =>
  sleep(FENCE_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new WindowFailed('A fence did not come through in time.');
  });

/**
 * Sends a fence through both streams, together with the server's counters at the same instant, in one MULTI: ECHO
 * appears in MONITOR, and PUBLISH reaches the subscriber. No command of our own starts meanwhile.
 */
const fence = (
  node: Node,
  control: Redis,
  channel: string,
  name: string,
  sink: WindowSink,
): Promise<FenceReading> =>
  node.own.whileIdle(async (isIdle) => {
    const replies = await control.multi().echo(name).publish(channel, name).info('stats').time().exec();
    if (!replies) throw new WindowFailed('The server dropped the fence.');
    // Including MULTI and EXEC.
    node.own.commands += 6;
    const [, heard, info, time] = replies.map(([error, reply]) => {
      if (error) throw error;
      return reply;
    });
    if (Number(heard) < 1) throw new WindowFailed('Events of missing keys do not reach us.');
    const fields = parseInfo(String(info));
    const [seconds, micros] = (time as [number | string, number | string]).map(Number) as [number, number];
    const { commands: _, ...own } = node.own.snapshot();
    sink.fenced?.();
    return {
      at: seconds * 1000 + micros / 1000,
      hits: Number(fields.get('keyspace_hits')),
      misses: Number(fields.get('keyspace_misses')),
      commands: Number(fields.get('total_commands_processed')),
      own,
      isIdle,
    };
  });

export const pinger = (node: Node, control: Redis) => async (): Promise<RoundTrip> => {
  const trip = await timeRoundTrip(() => control.ping());
  node.own.commands += 1;
  return trip;
};

const pause = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  ms > 0 ? sleep(ms, undefined, { signal }).catch(() => undefined) : Promise.resolve();

/** Waits until the window ends. Returns why it ended early, or null. */
const waitForEnd = async (
  options: WindowOptions,
  guard: LatencyGuard,
  monitor: MonitorStream,
  measure: () => Promise<RoundTrip>,
): Promise<Cut | null> => {
  const until = performance.now() + options.ms;
  while (performance.now() < until) {
    if (options.signal?.aborted) return { why: 'stopped', text: 'it was cancelled' };
    const cut = guard.add(await measure());
    if (cut) return cut;
    if (monitor.isBehind()) return BEHIND;
    await pause(Math.min(PROBE_MS, until - performance.now()), options.signal);
  }
  return null;
};

const closedEarly = (clients: readonly Client[]): Promise<never> =>
  new Promise((_, reject) => {
    for (const { redis } of clients)
      redis.once('close', () => reject(new WindowFailed('The server closed the connection.')));
  });

/**
 * Counts between two fences on one server. The sink gets exactly the look-ups and misses between them, and must not
 * retain their bytes. Throws the server's refusal, or `WindowFailed` when the counts would not be reliable.
 */
export const openFencedWindow = async (
  node: Node,
  sink: WindowSink,
  options: WindowOptions,
): Promise<FencedWindow> => {
  const clients = ['control', 'monitor', 'misses'].map((name) => node.dedicated(`window-${name}`));
  const [control, monitorClient, missClient] = clients as [Client, Client, Client];
  const id = randomBytes(12).toString('hex');
  const names = [`${id}-begin`, `${id}-end`] as const;
  const channel = `keyward:fence:${id}`;
  let monitor: MonitorStream | null = null;
  try {
    await control.ready();
    const table = await readCommandTable(control.redis);
    const stream = new MonitorStream(monitorClient, names, table, sink);
    monitor = stream;
    const misses = new MissStream(missClient, names, channel, sink);
    const measure = options.measure ?? pinger(node, control.redis);
    const guard = new LatencyGuard(options.maxAddedLatencyMs);
    await guard.calibrate(measure, () => pause(PROBE_MS, options.signal));
    await misses.start();
    await stream.start();
    const broken = closedEarly(clients);
    broken.catch(() => undefined);
    const within = async (): Promise<FencedWindow> => {
      const before = await fence(node, control.redis, channel, names[0], sink);
      stream.clock = { server: before.at, own: performance.now() };
      const cutShort = await waitForEnd(options, guard, stream, measure);
      const after = await fence(node, control.redis, channel, names[1], sink);
      await Promise.race([Promise.all([stream.fences.passed, misses.fences.passed]), fenceTimeout()]);
      if ((['hits', 'misses', 'commands'] as const).some((name) => after[name] < before[name]))
        throw new WindowFailed('The counters were reset meanwhile.');
      return { before, after, seconds: (after.at - before.at) / 1000, cutShort };
    };
    return await Promise.race([within(), broken]);
  } finally {
    monitor?.close();
    for (const client of clients) client.close();
  }
};

const MAX_LISTED = 2000;
const PURPOSES: readonly Purpose[] = ['read', 'scan', 'write', 'exact'];

/**
 * The client addresses of this process, and of other console processes by their client names, as the server sees them.
 */
export interface ConsoleAddresses {
  own: ReadonlySet<string>;
  others: ReadonlySet<string>;
  /** Whether an address identifies our connections. Over a Unix socket all clients share one address. */
  canIdentifyOwn: boolean;
}

/** The console's connections, by client name. Skipped when so many clients are connected that listing them is slow. */
const listNamed = async (redis: Redis): Promise<string[]> => {
  const info = await redis.info('clients').catch(() => '');
  const clients = Number(parseInfo(info).get('connected_clients'));
  if (!(clients <= MAX_LISTED)) return [];
  const list = String(await redis.call('CLIENT', 'LIST').catch(() => ''));
  return list
    .split('\n')
    .map(clientFields)
    .flatMap((fields) => (fields.get('name')?.startsWith(CONSOLE_NAME) ? [fields.get('addr') ?? ''] : []));
};

/** The addresses whose commands on one server are the console's own. */
export const readConsoleAddresses = async (node: Node, control: Redis): Promise<ConsoleAddresses> => {
  const nodes = [...node.own.nodes];
  // Connect everything first: an address that appears later would count as the application's.
  const clients = nodes.flatMap((node) => PURPOSES.map((purpose) => node.client(purpose)));
  await Promise.all(clients.map(({ ready }) => ready().catch(() => undefined)));
  const own = new Set(clients.flatMap((client) => client.connection()?.addresses ?? []));
  const others = new Set((await listNamed(control)).filter((address) => !own.has(address)));
  return { own, others, canIdentifyOwn: ![...own].some(isAddressShared) };
};
