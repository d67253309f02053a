import 'server-only';
import type { Redis } from 'ioredis';
import { parseInfo } from './info';

const numberOf = (text: string | undefined): number | null =>
  text === undefined || Number.isNaN(Number(text)) ? null : Number(text);

/** The server's counters so far; null where INFO is refused. Times in ms. */
export interface Reading {
  /** By our clock. */
  at: number;
  /** Time that its main thread has worked. */
  worked: number | null;
  commands: number | null;
  /** Time spent in commands. */
  inCommands: number | null;
}

/** Includes the time of each command, which `inCommands` adds up. */
export const readCounters = async (
  redis: Redis,
): Promise<Reading & { times: Map<string, CommandTime> | null }> => {
  const [cpu, stats, times] = await Promise.all([
    redis.info('cpu').catch(() => ''),
    redis.info('stats').catch(() => ''),
    readCommandTimes(redis),
  ]);
  const fields = parseInfo(cpu);
  const [user, sys] = ['user', 'sys'].map((kind) => numberOf(fields.get(`used_cpu_${kind}_main_thread`)));
  return {
    at: performance.now(),
    worked: user == null || sys == null ? null : (user + sys) * 1000,
    commands: numberOf(parseInfo(stats).get('total_commands_processed')),
    times,
    inCommands: times && [...times.values()].reduce((sum, { micros }) => sum + micros, 0) / 1000,
  };
};

export interface CommandTime {
  calls: number;
  micros: number;
}

const STAT = /^calls=(\d{1,18}),usec=(\d{1,18})/;

/** Calls and time of each command since the server started; null where INFO is refused. */
export const readCommandTimes = async (redis: Redis): Promise<Map<string, CommandTime> | null> => {
  const info = await redis.info('commandstats').catch(() => null);
  if (info === null) return null;
  const times = new Map<string, CommandTime>();
  for (const [name, value] of parseInfo(info)) {
    const [, calls, micros] = STAT.exec(value) ?? [];
    if (calls !== undefined)
      times.set(name.replace(/^cmdstat_/, ''), { calls: Number(calls), micros: Number(micros) });
  }
  return times;
};

/** The increase between two readings; null where one is missing. */
export const timesBetween = (
  before: ReadonlyMap<string, CommandTime> | null,
  after: ReadonlyMap<string, CommandTime> | null,
): Map<string, CommandTime> | null => {
  if (!before || !after) return null;
  const added = new Map<string, CommandTime>();
  for (const [name, { calls, micros }] of after) {
    const was = before.get(name) ?? { calls: 0, micros: 0 };
    // The statistics were reset meanwhile.
    if (calls >= was.calls && calls > 0)
      added.set(name, { calls: calls - was.calls, micros: micros - was.micros });
  }
  return added;
};

/** The server's clock, epoch ms, and ours at the same instant. */
export const readClock = async (redis: Redis): Promise<{ server: number; own: number }> => {
  const [seconds, micros] = (await redis.time()).map(Number) as [number, number];
  return { server: seconds * 1000 + micros / 1000, own: performance.now() };
};
