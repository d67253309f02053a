import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ScanBudget } from '@/lib/redis/budget';
import { type BenchRow, timed, within } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type Cost, quickest, serverMemoryOf, serverTimeOf } from '@/scripts/testing/cost';
import { CROWDED, fillSessionKeyspace, NEEDLE, USER } from '@/scripts/testing/session-keyspace';
import { fingerprintOf } from './keys';
import { type Session, type SessionFilter, sessionContracts } from './schema';
import { listSessions, searchSessions } from './search';
import { countSessions } from './survey';
import { sessionUserContracts } from './user/schema';
import { readUser } from './user/user';

/** A measurement as `npm run bench` prints it; with a `limit` it is held or missed. */
const SCAN = 'ioredis SCAN MATCH COUNT 1000';
const PLAIN = 'ioredis SCAN COUNT 1000 + pipelined HGETALL';

const scanMatch = async ({ redis }: TestContext, match: string): Promise<void> => {
  let cursor = '0';
  do {
    [cursor] = await redis.scan(cursor, 'MATCH', match, 'COUNT', 1000);
  } while (cursor !== '0');
};

const CLI = 'redis-cli --scan --pattern';

/** As with redis-cli, which requests ten keys per call. */
const scanByCli = async ({ handle }: TestContext, match: string): Promise<void> => {
  const { port } = new URL(handle.config.url!);
  await promisify(execFile)('redis-cli', ['-p', port, '--scan', '--pattern', match]);
};

type Hash = Record<string, string>;

/** The obvious implementation: SCAN, pipelined HGETALL, and a check of every session. */
const plainSearch = async ({ redis }: TestContext, fits: (hash: Hash) => boolean): Promise<number> => {
  let [cursor, found] = ['0', 0];
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', 'session:*', 'COUNT', 1000);
    cursor = next;
    const pipeline = redis.pipeline();
    for (const key of keys) pipeline.hgetall(key);
    for (const [, hash] of (await pipeline.exec()) ?? []) if (fits((hash ?? {}) as Hash)) found += 1;
  } while (cursor !== '0');
  return found;
};

interface Searched {
  matches: number;
  /** The longest time from sending the call that found a session to reporting it. */
  slowestMs: number;
  peakBytes: number;
}

/** Records when scan calls are sent, by the fingerprints of the keys they return. */
const sentTimes = (test: TestContext) => {
  const { redis } = test.handle.topology.primaries()[0]!.client('scan');
  const times = new Map<string, number>();
  const original = redis.callBuffer;
  const recordSent = (reply: unknown, at: number): void => {
    if (Buffer.isBuffer(reply)) times.set(fingerprintOf(reply), at);
    else if (Array.isArray(reply)) for (const each of reply) recordSent(each, at);
  };
  redis.callBuffer = async (...call: unknown[]) => {
    const at = performance.now();
    const reply = await (original as (...call: unknown[]) => Promise<unknown>).apply(redis, call);
    recordSent(reply, at);
    return reply;
  };
  return { times, stop: () => Reflect.deleteProperty(redis, 'callBuffer') };
};

const search = async (test: TestContext, raw: object, sent?: Map<string, number>): Promise<Searched> => {
  const found: Searched = { matches: 0, slowestMs: 0, peakBytes: 0 };
  await searchSessions(test.ctx, sessionContracts.search.input.parse(raw), {
    send: (event, data) => {
      JSON.stringify(data);
      if (event === 'progress') found.peakBytes = Math.max(found.peakBytes, process.memoryUsage().rss);
      if (event !== 'match') return;
      const at = sent?.get((data as Session).fingerprint);
      if (at !== undefined) found.slowestMs = Math.max(found.slowestMs, performance.now() - at);
      found.matches += 1;
    },
    drained: async () => undefined,
    signal: new AbortController().signal,
  });
  return found;
};

/** A ratio to a baseline of the same run. */
const compared = (name: string, cost: Cost, baselineName: string, baseline: Cost): BenchRow => {
  const [here, there] = [cost, baseline].map(
    ({ server, own }) => `${Math.round(server)} + ${Math.round(own)}`,
  );
  const note = `processor of server + console: ${here} against ${there} ms`;
  const ratio = baseline.ms / cost.ms;
  return { name, ms: cost.ms, baselineName, baselineMs: baseline.ms, ratio, note };
};

/** The same, against its limit. */
const against = (name: string, cost: Cost, baselineName: string, baseline: Cost, least: number): BenchRow => {
  const row = compared(name, cost, baselineName, baseline);
  return { ...row, limit: `≥ ${least} ×`, held: baseline.ms / cost.ms >= least };
};

/** A fast result that is incomplete is not worth measuring. */
const expectWhole = async (test: TestContext, read: () => ReturnType<typeof readUser>): Promise<void> => {
  const { complete, sessions, unindexed, legacy, verifications } = await read();
  const found = [complete, sessions.length, unindexed, legacy.length, verifications.length].join();
  if (found !== 'true,4,1,1,2') throw new Error(`Of the user's 4 sessions and 3 tokens it found ${found}.`);
  await test.redis.ping();
};

const benchUser = async (test: TestContext): Promise<BenchRow[]> => {
  const input = sessionUserContracts.user.input.parse({ userId: USER });
  const user = (complete: boolean, userId = USER) => readUser(test.ctx, { ...input, userId, complete });
  await expectWhole(test, () => user(true));
  const match = `session:${USER}:*`;
  const scanWork = await serverTimeOf(test.redis, () => scanMatch(test, match));
  const timeOf = async (name: string, userId: string): Promise<BenchRow[]> => {
    const ms = await serverTimeOf(test.redis, () => user(false, userId));
    const ratio = scanWork / ms;
    const row = { baselineName: SCAN, baselineMs: scanWork, ratio };
    return [within(name, ms, 5), { name, ms, ...row, limit: '≥ 100 ×', held: ratio >= 100 }];
  };
  const [complete, scan, cli] = await quickest(test.redis, 3, [
    () => user(true),
    () => scanMatch(test, match),
    () => scanByCli(test, match),
  ]);
  return [
    ...(await timeOf('user from the index, time of the server', USER)),
    ...(await timeOf('user with 100 000 entries, time of the server', CROWDED)),
    against('user, complete', complete!, CLI, cli!, 1),
    compared('user, complete', complete!, SCAN, scan!),
  ];
};

const benchList = async (test: TestContext): Promise<BenchRow[]> => {
  const page = (raw: object) => () => listSessions(test.ctx, sessionContracts.list.input.parse(raw));
  const unthrottled = test.handle.budget;
  test.handle.budget = new ScanBudget({ chunk: 100, pauseMs: 1, maxAddedLatencyMs: 1 });
  const first = await timed(page({}));
  const narrow = await timed(page({ username: 'nobody' }));
  test.handle.budget = unthrottled;
  return [
    within('first page of the list, gentle budget', first, 300),
    within('first page of a filter that finds nothing, gentle budget', narrow, 300),
  ];
};

const deviceOf = (hash: Hash): { user_agent?: string; ip?: string } => JSON.parse(hash.device_info ?? '{}');
const holds = (text: string | undefined, part: string) => text?.toLowerCase().includes(part) ?? false;

const IDLE = NEEDLE.idleSeconds / 2;

/** Every kind of filter, each finding one session, and the obvious way to search for it. */
const KINDS: [string, SessionFilter, (hash: Hash) => boolean][] = [
  ['username', { username: 'Needle' }, ({ username }) => holds(username, 'needle')],
  ['device', { device: 'nokia' }, (hash) => holds(deviceOf(hash).user_agent, 'nokia')],
  ['address', { address: '198.51.100.' }, (hash) => holds(deviceOf(hash).ip, '198.51.100.')],
  [
    'idle time',
    { idleLongerThanSeconds: IDLE },
    (hash) => Date.now() / 1000 - Number(hash.last_activity) > IDLE,
  ],
];

const benchKind = async (
  test: TestContext,
  [kind, filter, fits]: (typeof KINDS)[number],
): Promise<BenchRow[]> => {
  const expectOne = (found: number) => {
    if (found !== 1) throw new Error(`By ${kind} it found ${found} sessions.`);
  };
  const [here, plain] = await quickest(test.redis, 3, [
    async () => expectOne((await search(test, filter)).matches),
    async () => expectOne(await plainSearch(test, fits)),
  ]);
  const { times, stop } = sentTimes(test);
  const { slowestMs } = await search(test, filter, times);
  stop();
  return [
    against(`search 300 000 sessions by ${kind}`, here!, PLAIN, plain!, 2.5),
    within(`its match, from being reached, by ${kind}`, slowestMs, 200),
  ];
};

const MIB = 1024 * 1024;
const MAX_MIB = 16;

const benchMemory = async (test: TestContext): Promise<BenchRow[]> => {
  const before = process.memoryUsage().rss;
  let ms = 0;
  let all: Searched | undefined;
  const grown = await serverMemoryOf(test.redis, async () => {
    ms = await timed(async () => {
      all = await search(test, {});
    });
  });
  const own = Math.round((all!.peakBytes - before) / MIB);
  return [
    {
      name: `search that finds all ${all!.matches}`,
      ms,
      limit: `server's memory ≤ ${MAX_MIB} MiB more`,
      held: grown <= MAX_MIB * MIB,
      note: `${(grown / MIB).toFixed(1)} MiB on the server, ${own} MiB in the console`,
    },
  ];
};

/** Sessions in a keyspace of a million keys, on a real server; "unthrottled" means no pause and 1000 keys per call. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({
    apps: ['discours'],
    role: 'support',
    scan: { chunk: 1000, pauseMs: 0, maxAddedLatencyMs: 10_000 },
  });
  try {
    await fillSessionKeyspace(test.redis, Math.floor(Date.now() / 1000));
    const rows = [...(await benchUser(test)), ...(await benchList(test))];
    for (const kind of KINDS) rows.push(...(await benchKind(test, kind)));
    rows.push(...(await benchMemory(test)));
    const counting = await timed(() => countSessions(test.ctx));
    return [...rows, { name: 'count everything by state', ms: counting }];
  } finally {
    await test.close();
  }
};
