import { cpus } from 'node:os';
import { env } from '@/lib/configuration';
import { ScanBudget } from '@/lib/redis/budget';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { scanKeys } from '@/lib/redis/scan';
import { startCluster } from '@/scripts/cluster.mjs';
import { benchKeys } from '@/scripts/testing/bench-keys';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { testContext } from '@/scripts/testing/context';
import { fillAuthors } from '@/scripts/testing/fill-authors';
import { keepApart, type Load, p99sBeside, riseRow, startLoad } from '@/scripts/testing/steady-load';
import { takeCensus } from './census';

const KEYS = benchKeys(1_000_000);
const READS_PER_SECOND = 1000;
const ALONE_SECONDS = 10;
const MIN_RATIO = 2.5;
const MIN_UNPACED_RATIO = 0.9;
/** Long enough that two processors do all the work of three servers and a console meanwhile. */
const LONG_PAUSE_MS = 4;

/** Facts of every key, as the count of families takes them. */
const count: Walk = async (handle) => {
  const { census } = await takeCensus(handle, new AbortController().signal);
  const keys = census.families['discours.author-id']?.keys;
  if (keys !== KEYS) throw new Error(`The count found ${keys} keys of ${KEYS}.`);
};

/** Names that match a pattern, as a preview looks for them: ten keys. */
const search: Walk = async (handle) => {
  let found = 0;
  for await (const { keys } of scanKeys(handle, { match: `author:id:${KEYS - 1}*`, times: 20 }))
    found += keys.length;
  if (found !== 1) throw new Error(`The search found ${found} keys.`);
};

type Walk = (handle: ConnectionHandle) => Promise<void>;

const processorMs = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

/** `busyMs`: how long the machine's processors worked meanwhile, together. */
interface Took {
  ms: number;
  busyMs: number;
}

const timeOf = async (walk: Walk, handle: ConnectionHandle): Promise<Took> => {
  const [began, before] = [performance.now(), processorMs()];
  await walk(handle);
  return { ms: performance.now() - began, busyMs: processorMs() - before };
};

const quickest = (all: readonly Took[]): Took => all.reduce((a, b) => (b.ms < a.ms ? b : a));

/** The budget as it is beside a busy application: every pause is a full one, of `pauseMs` if given; 0: none. */
const setPace = (handle: ConnectionHandle, pauseMs?: number): void => {
  for (const node of handle.topology.primaries()) {
    const limits = node.budget.limits;
    node.budget = new ScanBudget({ ...limits, ...(pauseMs !== undefined && { pauseMs }) });
  }
};

/** Against one server, the fastest of several runs of each. */
const compare = async (
  what: string,
  [walk, runs]: [Walk, number],
  least: number,
  [one, three]: readonly ConnectionHandle[],
): Promise<BenchRow> => {
  const [alone, together]: [Took[], Took[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    alone.push(await timeOf(walk, one!));
    together.push(await timeOf(walk, three!));
  }
  const [before, after] = [quickest(alone), quickest(together)];
  const [baselineMs, ms] = [before.ms, after.ms];
  const ratio = baselineMs / ms;
  // More is impossible where console and servers share the processors.
  const most = baselineMs / (before.busyMs / cpus().length);
  const name = `${what} on three primaries with ${KEYS} keys`;
  return {
    name,
    ms,
    baselineName: 'on one server',
    baselineMs,
    ratio,
    limit: `≥ ${least} ×`,
    held: ratio >= least,
    note: `${cpus().length} processors, busy for ${after.busyMs} ms; the work on one server would fill them at ${most.toFixed(2)} ×`,
  };
};

const riseOf = async (name: string, load: Load, handle: ConnectionHandle): Promise<BenchRow> => {
  const pause = () => new Promise((over) => setTimeout(over, ALONE_SECONDS * 1000));
  const alone = await p99sBeside(load, pause);
  return riseRow(name, alone, await p99sBeside(load, () => count(handle)));
};

/** A walk over three primaries against one server with the same keys, at the default pace and without pauses. */
export const run = async (): Promise<BenchRow[]> => {
  const cluster = await startCluster({ primaries: 3 });
  const test = await testContext({ nodes: cluster.nodes });
  const { handle: three } = test;
  // The context's own server is not part of the cluster.
  const one = openConnection(env().connections[0]!);
  const handles = [one, three];
  try {
    const primaries = await cluster.primaries();
    await fillAuthors(one.config.url!, KEYS);
    const usual = three.topology.primaries().map((node) => [node, node.budget] as const);
    const processes: number[] = [];
    for (const { url } of primaries) processes.push(await fillAuthors(url, KEYS));
    for (const handle of handles) setPace(handle);
    const paced = [
      await compare('count, full pauses,', [count, 1], MIN_RATIO, handles),
      await compare('search, full pauses,', [search, 3], MIN_RATIO, handles),
    ];
    for (const handle of handles) setPace(handle, LONG_PAUSE_MS);
    paced.push(await compare(`count, pauses of ${LONG_PAUSE_MS} ms,`, [count, 1], MIN_RATIO, handles));
    for (const handle of handles) setPace(handle, 0);
    const unpaced = [
      await compare('count, no pauses,', [count, 2], MIN_UNPACED_RATIO, handles),
      await compare('search, no pauses,', [search, 3], MIN_UNPACED_RATIO, handles),
    ];
    for (const [node, budget] of usual) node.budget = budget;
    const loads: BenchRow[] = [];
    for (const [i, { url }] of primaries.entries()) {
      const load = await startLoad(url, READS_PER_SECOND, KEYS);
      // Its reads wait for the walk's calls on it, not for those on servers that would be other machines.
      const others = processes.filter((_, at) => at !== i);
      keepApart([processes[i]!, load.pid], [process.pid, ...others]);
      loads.push(await riseOf(`GETs on primary ${i + 1}`, load, three));
      load.stop();
    }
    return [...paced, ...unpaced, ...loads];
  } finally {
    one.topology.close();
    await test.close();
    await cluster.stop();
  }
};
