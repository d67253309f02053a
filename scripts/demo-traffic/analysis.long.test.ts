import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { analysisJob } from '@/lib/analysis/job';
import { getAnalysis } from '@/lib/analysis/reads';
import { type AnalysisReport, analysisReport } from '@/lib/analysis/schema';
import type { AppId } from '@/lib/apps';
import { catalogOf } from '@/lib/command/context';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import { scanAll } from '@/scripts/testing/scan-all';
import { seed } from './seed';
import { seedSocial } from './social/seed';

let test: TestContext;
afterEach(() => test.close());

interface Row {
  keys: number;
  memoryBytes: number;
}

/** Adds a key to the row of its name. */
const addTo = (rows: Map<string, Row>, name: string, bytes: number): void => {
  const row = rows.get(name) ?? { keys: 0, memoryBytes: 0 };
  rows.set(name, { keys: row.keys + 1, memoryBytes: row.memoryBytes + bytes });
};

/** What the report must say, by one command after the other, key by key. */
const truthOf = async ({ redis, handle }: TestContext) => {
  const catalog = catalogOf(handle);
  const truth = { keys: 0, memoryBytes: 0, withoutTtl: 0, unclassified: 0 };
  const [types, encodings, families] = [
    new Map<string, Row>(),
    new Map<string, Row>(),
    new Map<string, Row>(),
  ];
  for (const key of await scanAll(redis)) {
    const [type, encoding, bytes, ttl] = await Promise.all([
      redis.type(key),
      redis.object('ENCODING', key),
      redis.memory('USAGE', key, 'SAMPLES', 0),
      redis.pttl(key),
    ]);
    const { family: named, candidate } = catalog.locate(key);
    const fields = candidate?.identifyingFields ?? [];
    const lengths =
      type === 'hash' ? await Promise.all(fields.map((field) => redis.hstrlen(key, field))) : [0];
    const family = candidate ? (lengths.every((length) => length > 0) ? candidate : null) : named;
    truth.keys += 1;
    truth.memoryBytes += bytes!;
    truth.withoutTtl += ttl === -1 ? 1 : 0;
    truth.unclassified += family ? 0 : 1;
    addTo(types, type, bytes!);
    addTo(encodings, `${type} ${encoding}`, bytes!);
    if (family) addTo(families, family.id, bytes!);
  }
  return { ...truth, types, encodings, families };
};

const rowsOf = <T extends Row | { keys: number; memoryBytes: number | null }>(
  rows: readonly T[],
  nameOf: (row: T) => string,
) => new Map(rows.map((row) => [nameOf(row), { keys: row.keys, memoryBytes: row.memoryBytes }]));

const analyse = async (): Promise<AnalysisReport> => {
  const jobId = randomUUID();
  const signal = new AbortController().signal;
  const job = { jobId, signal, progress: async () => undefined, isFaster: () => false, ...UNFENCED };
  await analysisJob.run({ ...test.ctx, ...job }, { exact: true, resume: null });
  return analysisReport.parse(await getAnalysis(test.ctx, { id: jobId }));
};

const DEMOS: { name: string; apps: AppId[]; fill: () => Promise<unknown> }[] = [
  {
    name: 'the publishing platform and the error collector',
    apps: ['discours', 'hawk'],
    fill: () => seed(test.redis),
  },
  {
    name: 'the social and the short-video application',
    apps: ['qianxun', 'minidouyin'],
    fill: () => seedSocial(test.redis),
  },
];

it.each(DEMOS)('every count of a report is true of $name', async ({ apps, fill }) => {
  test = await testContext({ apps, scan: { chunk: 100, pauseMs: 0, maxAddedLatencyMs: 1000 } });
  await fill();
  const { types, encodings, families, unclassified, ...sums } = await truthOf(test);
  const report = await analyse();
  expect(report).toMatchObject({ ...sums, complete: true, exact: true });
  expect(rowsOf(report.byType, ({ type }) => type)).toEqual(types);
  expect(rowsOf(report.byEncoding, ({ type, encoding }) => `${type} ${encoding}`)).toEqual(encodings);
  expect(rowsOf(report.families, ({ family }) => family)).toEqual(families);
  expect(report.unclassified.reduce((sum, { keys }) => sum + keys, 0)).toBe(unclassified);
  const withTtl = sums.keys - sums.withoutTtl;
  expect(report.ttl.reduce((sum, { keys }) => sum + keys, 0)).toBe(withTtl);
  expect(report.expiries.reduce((sum, { keys }) => sum + keys, 0)).toBe(withTtl);
});
