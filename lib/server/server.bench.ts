import { connect, type Socket } from 'node:net';
import { parseInput } from '@/lib/command/validate';
import { medianOf } from '@/lib/redis/round-trip';
import { readServer } from '@/lib/redis/server-reads';
import { type BenchRow, timed } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { forgetClients, listClients } from './clients/list';
import { clientContracts } from './clients/schema';
import { serverContracts } from './schema';
import { listSlowLog } from './slow-log-list';

const CLIENTS = 10_000;
const ENTRIES = 10_000;
const RUNS = 7;
const MAX_MS = 500;
const PAGE_SIZE = 100;
const BATCH = 500;

interface Runs {
  /** The slowest. */
  ms: number;
  median: number;
}

const several = async (work: () => Promise<unknown>, before: () => void = () => {}): Promise<Runs> => {
  const took: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    before();
    took.push(await timed(work));
  }
  return { ms: Math.max(...took), median: medianOf(took) };
};

/** As many clients as the process may open sockets for, each with a name and a user's work behind it. */
const connectClients = async ({ redis }: TestContext): Promise<Socket[]> => {
  const sockets: Socket[] = [];
  for (let from = 0; from < CLIENTS; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, i) => {
      const socket = connect(redis.options.port!, '127.0.0.1');
      socket.write(`CLIENT SETNAME worker-${(from + i) % 50}\r\nGET author:id:${from + i}\r\n`);
      return new Promise<Socket>((resolve, reject) => {
        socket.once('error', reject);
        socket.once('data', () => resolve(socket));
      });
    });
    sockets.push(...(await Promise.all(batch)));
  }
  return sockets;
};

interface Listed {
  items: unknown[];
  nextCursor: string | null;
}

/** The pages that follow the first, and how many rows all have. */
const readOn = async (
  first: Listed,
  page: (cursor: string) => Promise<Listed>,
): Promise<Runs & { rows: number }> => {
  const took: number[] = [];
  let [rows, cursor] = [first.items.length, first.nextCursor];
  while (cursor !== null) {
    const from = cursor;
    const started = performance.now();
    const next = await page(from);
    took.push(performance.now() - started);
    rows += next.items.length;
    cursor = next.nextCursor;
  }
  return { ms: Math.max(...took), median: medianOf(took), rows };
};

const limited = (name: string, here: Runs, baselineName: string, baseline: Runs, note: string): BenchRow => ({
  name,
  ms: here.ms,
  baselineName,
  baselineMs: baseline.ms,
  note: `${note}; medians ${Math.round(here.median)} and ${Math.round(baseline.median)} ms`,
  limit: `≤ ${MAX_MS} ms`,
  held: here.ms <= MAX_MS,
});

const benchClients = async (test: TestContext): Promise<BenchRow[]> => {
  await test.redis.config('SET', 'maxclients', String(CLIENTS + 100));
  const sockets = await connectClients(test);
  const page = (raw: object) => listClients(test.ctx, parseInput(clientContracts.list, raw));
  try {
    const raw = await several(() =>
      readServer(test.handle, test.handle.topology.primaries()[0]!, ['CLIENT', 'LIST']),
    );
    const first = await several(() => page({ limit: PAGE_SIZE }), forgetClients);
    const listed = await page({ limit: PAGE_SIZE });
    const rest = await readOn(listed, (cursor) => page({ limit: PAGE_SIZE, cursor }));
    const note = `${rest.rows} clients, slowest of ${RUNS}`;
    if (rest.rows < CLIENTS) throw new Error(`Only ${rest.rows} clients were listed.`);
    return [
      limited('first page of clients', first, 'CLIENT LIST', raw, note),
      limited('next pages of clients, slowest', rest, 'CLIENT LIST', raw, 'as one scrolls'),
    ];
  } finally {
    for (const socket of sockets) socket.destroy();
  }
};

const benchSlowLog = async (test: TestContext): Promise<BenchRow[]> => {
  const { redis, handle, ctx } = test;
  await redis.config('SET', 'slowlog-max-len', ENTRIES);
  await redis.config('SET', 'slowlog-log-slower-than', 0);
  const calls = Array.from({ length: ENTRIES }, (_, i) =>
    i % 3 === 0
      ? redis.mget(`author:id:${i}`, `topic:id:${i}`)
      : i % 3 === 1
        ? redis.set(`topic:slug:name-${i}`, 'a value of some length', 'EX', 600)
        : redis.call('ZRANGE', `user:${i}:feed`, 0, 20),
  );
  await Promise.all(calls);
  await redis.config('SET', 'slowlog-log-slower-than', -1);
  const page = (raw: object) => listSlowLog(ctx, parseInput(serverContracts.slowLog, raw));
  const raw = await several(() =>
    readServer(handle, handle.topology.primaries()[0]!, ['SLOWLOG', 'GET', ENTRIES]),
  );
  // All of it, as after a start; then only what is new.
  const first = await several(
    () => page({ limit: PAGE_SIZE }),
    () => forget('slow-log', 'slow logs'),
  );
  const later = await several(
    () => page({ limit: PAGE_SIZE, q: 'slug' }),
    () => forget('slow-log'),
  );
  const listed = await page({ limit: PAGE_SIZE });
  const rest = await readOn(listed, (cursor) => page({ limit: PAGE_SIZE, cursor }));
  if (rest.rows < ENTRIES) throw new Error(`Only ${rest.rows} entries were listed.`);
  const note = `${rest.rows} entries, slowest of ${RUNS}`;
  return [
    limited('first page of the slow log, everything parsed', first, 'SLOWLOG GET', raw, note),
    limited(
      'first page with a text filter, two seconds later',
      later,
      'SLOWLOG GET',
      raw,
      'only new ones read',
    ),
    limited('next pages of the slow log, slowest', rest, 'SLOWLOG GET', raw, 'as one scrolls'),
  ];
};

/** 10 000 connected clients and 10 000 entries of the slow log on a real server. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({ apps: ['discours'] });
  try {
    return [...(await benchClients(test)), ...(await benchSlowLog(test))];
  } finally {
    await test.close();
  }
};
