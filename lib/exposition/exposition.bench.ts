import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Checked, checked } from '@/lib/conventions/checked';
import { RULE_IDS } from '@/lib/conventions/schema';
import { writeCheck } from '@/lib/conventions/stored-check';
import { registerDomains } from '@/lib/domains/all';
import { recordSizes } from '@/lib/guard/traffic/history';
import { storeObserved } from '@/lib/guard/traffic/storage';
import { readCensus, writeCensus } from '@/lib/history/census';
import { publishLive } from '@/lib/history/points';
import { type FamilySums, writeSpan } from '@/lib/hit-rates/spans';
import { recordMetrics } from '@/lib/metrics/history';
import { storeSeriesNames } from '@/lib/metrics/names';
import { writeStates } from '@/lib/queues/states';
import { connections } from '@/lib/redis/connections';
import { store } from '@/lib/redis/store';
import { MINUTE, SECOND } from '@/lib/time';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { parsePrometheus } from '@/scripts/testing/prometheus-text';
import { readPrometheus } from './prometheus';

const FAMILIES = 100;
const QUEUES = 200;
const METRICS = 200;
const RUNS = 50;
const MAX_MS = 50;
const ID = 'main';

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** What a sampler stores of a busy application: each source of figures has as much as it ever has. */
const fill = async (now: number, families: readonly string[]): Promise<void> => {
  const own = store();
  const count = { keys: 1000, memoryBytes: 123_456, withoutTtl: 7, types: { string: 1000 } };
  await writeCensus(own, ID, {
    startedAt: now - SECOND,
    finishedAt: now,
    unclassified: 5,
    malformed: 1,
    families: Object.fromEntries(families.map((id) => [id, count])),
  });
  const sums: FamilySums = [900, 100, 1, 90_000, 100_000, 110_000];
  for (const source of ['sample', 'counters'] as const)
    for (let at = now - 10 * MINUTE; at < now; at += MINUTE)
      await writeSpan(own, ID, source, {
        at,
        seconds: 1,
        windows: 1,
        cutShort: 0,
        reasons: [],
        families: Object.fromEntries(families.map((id) => [id, sums])),
        total: [90_000, 10_000],
        left: [10, 10],
      });
  for (let at = now - MINUTE; at < now; at += SECOND)
    await publishLive(
      own,
      ID,
      {
        bucket: {
          at,
          observedMs: SECOND,
          hits: 3,
          misses: 1,
          commands: 9,
          evicted: 0,
          expired: 0,
          netInBytes: 10,
          netOutBytes: 20,
          usedMemoryBytes: 1000,
          connectedClients: 5,
          latencyMs: 2,
        },
        figures: {
          maxMemoryBytes: 4000,
          keys: 7,
          keysWithTtl: 2,
          evictedKeys: 0,
          product: 'redis',
          version: '7.0.15',
        },
      },
      now,
    );
  const state = { seconds: 60, pushed: 9, taken: 8, isAtLeast: false, pushedAt: null, takenFrom: null };
  const queues = times(QUEUES, (i) => ({
    key: Buffer.from(`queue:q${i}`),
    length: i,
    filledAt: now,
    ...state,
  }));
  await writeStates(own, ID, queues, now);
  const ids = times(METRICS, (i) => `series${i}`);
  await recordMetrics(own, ID, { at: now, v: Object.fromEntries(ids.map((id, i) => [id, i])) });
  const nameOf = (metric: string) => ({ metric, period: 'daily', field: '' });
  await storeSeriesNames(own, ID, Object.fromEntries(ids.map((id) => [id, nameOf(id)])));
  await recordSizes(own, ID, { at: now, blockedProjects: 3, blacklistedIps: 4, limitedProjects: 5 });
  const top = times(100, (i): [string, number] => [
    Buffer.from(`192.0.2.${i}`).toString('base64url'),
    9000 + i,
  ]);
  const sample = { at: now, total: 1e6, fields: 5000, top };
  await storeObserved(own, ID, {
    watch: { since: now - MINUTE, resets: [now - SECOND], samples: [sample] },
    ended: { ...sample, endedAt: now - SECOND },
  });
  const rule = {
    of: 1000,
    families: families.map((family) => ({ family, count: 3 })),
    sample: [],
    reason: null,
  };
  const check: Checked = checked.parse({
    at: now,
    keys: 1000,
    complete: true,
    policy: '',
    catalog: '',
    walk: null,
    forbidden: {},
    rules: Object.fromEntries(RULE_IDS.map((id) => [id, rule])),
  });
  await writeCheck(own, ID, check);
};

const commands = async ({ redis }: TestContext): Promise<number> =>
  Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))![1]);

const measure = async (work: () => Promise<unknown>): Promise<{ median: number; worst: number }> => {
  const all: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    // Nobody asked within the last second.
    forget('figures');
    const began = performance.now();
    await work();
    all.push(performance.now() - began);
  }
  all.sort((a, b) => a - b);
  return { median: all[RUNS / 2]!, worst: all.at(-1)! };
};

/** A catalog of a team, so that there are enough families. */
const ownCatalog = (dir: string): string => {
  const file = join(dir, 'pages.yaml');
  const familyOf = (i: number) =>
    `  - { id: page${i}, pattern: "page${i}:{id}", params: { id: digits }, type: string, ttl: 10m, role: cache }`;
  writeFileSync(file, `app: pages\ntitle: Pages\nfamilies:\n${times(20, familyOf).join('\n')}\n`);
  return file;
};

/** One scrape of a connection with everything, beside reading the census alone. */
export const run = async (): Promise<BenchRow> => {
  const dir = mkdtempSync(join(tmpdir(), 'keyward-bench-'));
  const test = await testContext({ catalogs: [ownCatalog(dir)] });
  try {
    registerDomains();
    connections.replace(new Map([[ID, test.handle]]));
    const { families } = test.ctx.catalog;
    const ids = families
      .filter(({ app, type }) => app !== 'console' && type !== 'channel')
      .map(({ id }) => id);
    await fill(Date.now(), ids.slice(-FAMILIES));
    const scrape = () => readPrometheus(test.ctx);
    const samples = parsePrometheus(await scrape());
    const seriesOf = (name: string) => samples.filter((sample) => sample.name === name).length;
    const before = await commands(test);
    const { median, worst } = await measure(scrape);
    const asked = (await commands(test)) - before - 1;
    const baseline = await measure(() => readCensus(store(), ID));
    const rated = seriesOf('keyward_family_hit_ratio');
    const isComplete = rated === FAMILIES && seriesOf('keyward_queue_length') === QUEUES;
    return {
      name: `a scrape of ${rated} families with everything, ${samples.length} series, the median of ${RUNS}`,
      ms: median,
      baselineName: 'reading the census alone',
      baselineMs: baseline.median,
      ratio: baseline.median / median,
      limit: `≤ ${MAX_MS} ms, no command to the application's Redis`,
      held: median <= MAX_MS && asked === 0 && isComplete,
      note: `the slowest took ${worst.toFixed(1)} ms; the application's Redis got ${asked} commands`,
    };
  } finally {
    await test.close();
    rmSync(dir, { recursive: true, force: true });
  }
};
