import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ReadContext } from '@/lib/command/context';
import { ScanBudget } from '@/lib/redis/budget';
import { type BenchRow, timed, within } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { quickest } from '@/scripts/testing/cost';
import { folderSource } from './folder';
import { closeLimits, currentLimits } from './limits';
import { currentPass } from './pass';
import { listWindows } from './reads';
import { rateLimitContracts } from './schema';
import { whatIf } from './what-if';

/** A measurement as `npm run bench` prints it; `limit` is the figure it must not exceed. */
const FIELDS = 50_000;
const MANY = 1_000_000;
const POLLS = 10;
const POLL_MS = 2000;
const MB = 1_000_000;
/** Memory that a million entries may take. */
const MAX_MB = 150;

const id = (n: number) => `67${n.toString(16).padStart(22, '0')}`;
const list = (raw: object = {}) => rateLimitContracts.list.input.parse(raw);

const fill = async ({ redis }: TestContext, from: number, to: number): Promise<void> => {
  const now = Math.floor(Date.now() / 1000);
  for (let n = from; n < to; n += 10_000) {
    const fields: string[] = [];
    for (let i = n; i < Math.min(to, n + 10_000); i++)
      fields.push(id(i), `${now - (i % 90)}:${(i * 7919) % 130}`);
    await redis.hset('rate_limits', fields);
  }
};

/** The baseline: a shell reading everything. */
const plainPass = async ({ redis }: TestContext): Promise<void> => {
  let cursor = '0';
  do {
    [cursor] = await redis.hscanBuffer('rate_limits', cursor, 'COUNT', 1000).then(([next]) => [String(next)]);
  } while (cursor !== '0');
};

/** A handle that has read nothing yet, with the default scan budget. */
const cold = (test: TestContext): ReadContext => {
  const budget = new ScanBudget({ chunk: 100, pauseMs: 1, maxAddedLatencyMs: 1 });
  return { ...test.ctx, connection: { ...test.handle, budget } };
};

/** Memory in use after garbage collection. */
const heldMb = (): number => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
};

const withinMemory = (name: string, mb: number): BenchRow => ({
  name,
  limit: `≤ ${MAX_MB} MB`,
  held: mb <= MAX_MB,
  note: `${mb.toFixed(0)} MB`,
});

/** The longest the event loop was blocked during `work`, ms. */
const maxStall = async (work: () => Promise<unknown>): Promise<{ ms: number; stallMs: number }> => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const ms = await timed(work);
  delay.disable();
  return { ms, stallMs: delay.max / 1e6 };
};

const writeLimits = async (folder: string, projects: number): Promise<void> => {
  const plan = { _id: { $oid: id(1) }, rateLimitSettings: { N: 100, T: 60 } };
  const workspace = { _id: { $oid: id(2) }, tariffPlanId: { $oid: id(1) } };
  await writeFile(join(folder, 'plans.json'), `${JSON.stringify(plan)}\n`);
  await writeFile(join(folder, 'workspaces.json'), `${JSON.stringify(workspace)}\n`);
  const file = createWriteStream(join(folder, 'projects.json'));
  for (let n = 0; n < projects; n += 1000) {
    let text = '';
    for (let i = n; i < Math.min(projects, n + 1000); i++)
      text += `${JSON.stringify({ _id: { $oid: id(i) }, workspaceId: { $oid: id(2) }, name: `Project ${i}`, rateLimitSettings: { N: i % 3 ? 0 : 120, T: 0 } })}\n`;
    if (!file.write(text)) await new Promise<void>((resolve) => file.once('drain', resolve));
  }
  await new Promise<void>((resolve) => file.end(resolve));
};

const benchSmall = async (test: TestContext): Promise<BenchRow[]> => {
  const firstOf = async (ctx: ReadContext) => {
    const { items } = await listWindows(ctx, list());
    if (items.length !== 50) throw new Error(`The first page has ${items.length} rows.`);
  };
  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    const ctx = cold(test);
    times.push(await timed(() => firstOf(ctx)));
    // Its pass continues in the background and must not count as polling.
    while ((await currentPass(ctx.connection, ctx.catalog, 60_000)).finishedAt === null);
  }
  const polled = cold(test);
  const poll = async () => {
    for (let i = 0; i < POLLS; i++) {
      const took = await timed(() => listWindows(polled, list()));
      await sleep(Math.max(0, POLL_MS - took));
    }
  };
  const [cost, idle, plain] = [
    ...(await quickest(test.redis, 1, [poll])),
    ...(await quickest(test.redis, 1, [() => sleep((POLLS * POLL_MS) / 4)])),
    ...(await quickest(test.redis, 5, [() => plainPass(test)])),
  ];
  const share = cost!.server / cost!.ms - idle!.server / idle!.ms;
  const complete = await timed(() => currentPass(cold(test).connection, test.ctx.catalog, 60_000));
  return [
    within(`first rows of ${FIELDS} fields, nothing read before (worst of 5)`, Math.max(...times), 300),
    {
      name: `a whole pass over ${FIELDS} fields, gentle budget`,
      ms: complete,
      baselineName: 'ioredis HSCAN COUNT 1000',
      baselineMs: plain!.ms,
      ratio: plain!.ms / complete,
    },
    {
      name: `polling the page every ${POLL_MS / 1000} s, processor of the server`,
      ms: cost!.server / POLLS,
      baselineName: 'one plain HSCAN pass',
      baselineMs: plain!.server,
      limit: '≤ 1 % of a core',
      held: share <= 0.01,
      note: `${(100 * share).toFixed(2)} % of a core above ${((100 * idle!.server) / idle!.ms).toFixed(2)} % when idle`,
    },
  ];
};

const benchMany = async (test: TestContext, folder: string): Promise<BenchRow[]> => {
  await writeLimits(folder, MANY);
  const before = heldMb();
  const source = folderSource(folder);
  const limits = await maxStall(() => source.refresh());
  if (source.levels().projects.size !== MANY) throw new Error('Not every project was read.');
  const limitsMb = heldMb() - before;
  while ((await currentLimits(test.handle)).state.projects !== MANY) await sleep(100);
  await fill(test, FIELDS, MANY);
  const ctx = cold(test);
  const empty = heldMb();
  const first = await timed(() => listWindows(ctx, list()));
  const pass = await maxStall(() => currentPass(ctx.connection, ctx.catalog, 600_000));
  const order = await maxStall(() => listWindows(ctx, list()));
  const warm = await timed(() => listWindows(ctx, list({ limit: 100 })));
  const state = await timed(() => listWindows(ctx, list({ state: 'near', limit: 100 })));
  const found = await timed(() => listWindows(ctx, list({ q: id(MANY - 5).slice(6), limit: 10 })));
  const chosen = await maxStall(() =>
    whatIf(ctx, rateLimitContracts.whatIf.input.parse({ limit: 90, periodSeconds: 60 })),
  );
  const windowsMb = heldMb() - empty;
  return [
    {
      name: `limits of ${MANY} projects from a folder`,
      ms: limits.ms,
      limit: 'longest stall ≤ 100 ms',
      held: limits.stallMs <= 100,
      note: `${limits.stallMs.toFixed(0)} ms`,
    },
    withinMemory(`memory of the limits of ${MANY} projects`, limitsMb),
    within(`first rows of ${MANY} fields, nothing read before`, first, 300),
    {
      name: `a whole pass over ${MANY} fields`,
      ms: pass.ms,
      note: `longest stall ${pass.stallMs.toFixed(0)} ms`,
    },
    {
      name: 'resolving them all, and the first page',
      ms: order.ms,
      limit: 'longest stall ≤ 150 ms',
      held: order.stallMs <= 150,
      note: `${order.stallMs.toFixed(0)} ms`,
    },
    withinMemory(`memory of ${MANY} windows and their states`, windowsMb),
    within('a page of them, by use', warm, 100),
    within('a page of them, in one state', state, 300),
    { name: 'a part of an id among them', ms: found },
    {
      name: 'what if, for all of them',
      ms: chosen.ms,
      note: `longest stall ${chosen.stallMs.toFixed(0)} ms`,
    },
  ];
};

/** Windows of 50 000 and of a million projects with limits from a folder, on a real server. */
export const run = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'limits-'));
  const hawk = { eventsLimit: 100, eventsPeriodSeconds: 60 };
  const test = await testContext({ apps: ['hawk'], hawk, limitsDir: folder });
  try {
    await writeLimits(folder, FIELDS);
    await fill(test, 0, FIELDS);
    await currentLimits(test.handle);
    return [...(await benchSmall(test)), ...(await benchMany(test, folder))];
  } finally {
    await closeLimits();
    await test.close();
    await rm(folder, { recursive: true, force: true });
  }
};
