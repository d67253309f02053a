// The same keys in one server and in a cluster of three primaries with replicas: the console reports and does the same
// for both.
import { Cluster, Redis } from 'ioredis';
import { startCluster } from '../cluster.mjs';
import { seed } from '../demo-traffic/seed';
import { seedSocial } from '../demo-traffic/social/seed';
import { startRedis } from '../redis-server.mjs';
import type { PrivateConsole } from '../testing/private-console';
import { scanAll } from '../testing/scan-all';
import { get, request, until, untilOver } from './api';
import { type Copy, copyOf, differences } from './keys';
import { fill, type Operation, operationsOf } from './operations';
import { type Report, withConsole } from './report';
import { STEPS, type Step } from './truth-changes';
import { differencesOf } from './truth-differences';
import { keyInputFor, NOT_READ, READS, type Read, readsAmong } from './truth-reads';
import { readWhole, type Whole } from './truth-walk';

const [ALONE, CLUSTER] = ['alone', 'cluster'] as const;
const NAMES = [ALONE, CLUSTER];
type Name = typeof ALONE | typeof CLUSTER;
const CONNECTION = {
  apps: ['discours', 'hawk', 'qianxun', 'minidouyin'],
  // No window ends during the drill.
  hawk: { threshold: 200, eventsLimit: 100, eventsPeriod: '6h' },
};
const MAX_SHOWN = 6;
const LATER_MS = 3 * 3_600_000;

/** Copies every key with its expiry, in stored form. None expires during the drill. */
const copyKeys = async (from: Redis, to: Redis | Cluster): Promise<number> => {
  const keys = await scanAll(from);
  for (const key of keys) {
    const expires = await from.pexpiretime(key);
    if (expires > 0 && expires < Date.now() + LATER_MS) await from.pexpireat(key, expires + LATER_MS);
    const [value, until] = await Promise.all([from.dumpBuffer(key), from.pexpiretime(key)]);
    if (value) await to.restore(key, Math.max(0, until), value, 'ABSTTL');
  }
  return keys.length;
};

/** Replaces the connection's name in texts. */
const withoutName = (value: unknown, connection: string): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(`/${connection}`, '/connection'));

const isCounted = async (own: PrivateConsole, connection: string): Promise<boolean> => {
  const { body } = await get<{ countedAt: string | null }>(own, `/api/v1/connections/${connection}/families`);
  return Boolean(body.countedAt);
};

/** The differences between the two answers to a read. */
const compareOne = (alone: Whole, cluster: Whole, except: readonly string[]): string[] => {
  if (alone.status !== cluster.status)
    return [`${alone.status} ≠ ${cluster.status} ${JSON.stringify(cluster.body).slice(0, 200)}`];
  return differencesOf(withoutName(alone.body, ALONE), withoutName(cluster.body, CLUSTER), except);
};

const compareRead = async (
  own: PrivateConsole,
  operation: Operation,
  { inputs = () => [{}], except = {} }: Read,
  known: Record<Name, Map<string, Whole>>,
): Promise<{ text: string; differences: string[] }> => {
  const differences: string[] = [];
  let [reads, rows] = [0, 0];
  for (const input of inputs(known.alone)) {
    const [alone, cluster] = await Promise.all(
      NAMES.map((name) => readWhole(own, operation, name, keyInputFor(input, known[name]))),
    );
    reads += 1;
    rows += alone!.items.length;
    const { kind } = input;
    for (const [name, whole] of [
      [ALONE, alone!],
      [CLUSTER, cluster!],
    ] as const) {
      if (Object.keys(input).length === 0) known[name].set(operation.id, whole);
      if (kind) known[name].set(`${operation.id} ${kind}`, whole);
    }
    const asked = new URLSearchParams(keyInputFor(input, known.alone)).toString().slice(-50);
    for (const text of compareOne(alone!, cluster!, Object.keys(except)))
      differences.push(`${asked} ${text}`);
  }
  return { text: `${reads} reads, ${rows} rows`, differences };
};

const compareReads = async (
  own: PrivateConsole,
  operations: readonly Operation[],
  report: Report,
  isAfterwards = false,
): Promise<void> => {
  const known = { [ALONE]: new Map<string, Whole>(), [CLUSTER]: new Map<string, Whole>() };
  for (const [id, read] of readsAmong(operations)) {
    if (isAfterwards && read.isCounted) continue;
    const operation = operations.find((candidate) => candidate.id === id)!;
    const { text, differences } = await compareRead(own, operation, read, known);
    const shown = differences.slice(0, MAX_SHOWN).map((difference) => `\n        ${difference}`);
    report.check(
      `${id} is the same: ${text}`,
      differences.length === 0,
      [differences.length, ...shown].join(''),
    );
  }
};

interface Made {
  status: number;
  /** The outcome of the answer, or of the job that it started. */
  outcome: unknown;
  auditId: string | undefined;
}

const make = async (
  own: PrivateConsole,
  connection: string,
  operation: Operation,
  step: Step,
): Promise<Made> => {
  const input = typeof step.input === 'function' ? await step.input({ own, connection }) : step.input;
  const { url, body } = fill(operation, connection, input);
  return settle(own, await request(own, url, operation.method, body));
};

/** The outcome of a refusal is its text. */
const settle = async (own: PrivateConsole, response: Response): Promise<Made> => {
  const text = await response.text();
  const body = (text.startsWith('{') ? JSON.parse(text) : { text }) as Record<string, unknown>;
  const auditId = body.auditId as string | undefined;
  if (typeof body.jobId !== 'string') {
    const { auditId: _, ...outcome } = body;
    return { status: response.status, outcome, auditId };
  }
  const { state, done, pending, error, result } = await untilOver(own, body.jobId);
  return { status: response.status, outcome: { state, done, pending, error, result }, auditId };
};

const undo = async (own: PrivateConsole, auditId: string): Promise<Made> =>
  settle(own, await request(own, `/api/v1/audit/${auditId}/undo`, 'POST', {}));

/** Inputs of a drill's comparison of a change. */
interface Drill {
  own: PrivateConsole;
  operations: readonly Operation[];
  stored: () => Promise<Stored>;
  report: Report;
}

const onBoth = (act: (name: Name) => Promise<Made>): Promise<[Made, Made]> =>
  Promise.all([act(ALONE), act(CLUSTER)]);

/** Makes each change with both, and compares the answers and the stored keys. */
const compareChanges = async (drill: Drill): Promise<void> => {
  let before = await drill.stored();
  for (const step of STEPS) {
    const inputs = typeof step.input === 'function' ? '' : ` ${JSON.stringify(step.input).slice(0, 60)}`;
    const named = `${step.id}${inputs}`;
    try {
      before = await compareChange(drill, step, named, before);
    } catch (error) {
      // A failed step must not hide the results of others.
      drill.report.check(named, false, String(error));
      before = await drill.stored();
    }
  }
};

const checkAnswers = (report: Report, step: Step, named: string, alone: Made, cluster: Made): void => {
  const { except = {} } = step;
  const differences = [
    ...(alone.status === cluster.status ? [] : [`${alone.status} ≠ ${cluster.status}`]),
    ...differencesOf(alone.outcome, cluster.outcome, Object.keys(except)),
  ];
  report.check(
    `${named} ends alike`,
    differences.length === 0 && alone.status < 300,
    textOf(alone, differences),
  );
};

/** Returns the stored keys after the change, or after its undo. */
const compareChange = async (
  { own, operations, stored, report }: Drill,
  step: Step,
  named: string,
  before: Stored,
): Promise<Stored> => {
  const operation = operations.find(({ id }) => id === step.id)!;
  const [alone, cluster] = await onBoth((name) => make(own, name, operation, step));
  checkAnswers(report, step, named, alone, cluster);
  const after = await stored();
  const within = step.setsExpiries ? Number.POSITIVE_INFINITY : 0;
  const { same, text } = differences(after.alone, after.cluster, within);
  report.check(`${named} leaves the same keys`, same, text);
  if (step.isFinal) return after;
  const auditIds = { [ALONE]: alone.auditId, [CLUSTER]: cluster.auditId };
  const undone = await onBoth(async (name) =>
    auditIds[name] ? undo(own, auditIds[name]) : { status: 0, outcome: null, auditId: undefined },
  );
  const again = await stored();
  for (const [i, name] of NAMES.entries()) {
    const exact = differences(before[name], again[name]);
    report.check(`${named}: its undo is exact, ${name}`, exact.same, textOf(undone[i]!, [exact.text]));
  }
  return again;
};

const textOf = ({ status, outcome }: Made, texts: readonly string[]): string =>
  [`${status} ${JSON.stringify(outcome).slice(0, 200)}`, ...texts.slice(0, MAX_SHOWN)]
    .map((text) => `\n        ${text}`)
    .join('');

/** All keys of both. */
interface Stored {
  alone: Copy;
  cluster: Copy;
}

const storedIn = async (alone: Redis, clustered: Cluster): Promise<Stored> => {
  const [copy, ...parts] = await Promise.all(
    [alone, ...clustered.nodes('master')].map((node) => copyOf(node)),
  );
  return { alone: copy!, cluster: new Map(parts.flatMap((part) => [...part])) };
};

const OF_WALKS = { at: 'when it was made', walk: 'what its scan cost' };
const OF_ANALYSIS = {
  ...OF_WALKS,
  id: 'its own',
  biggest: 'by memory',
  size: 'of memory',
  idle: 'the copy was used later',
  ttl: 'begins with the moment of the analysis',
  expiries: 'likewise',
  encodings: 'of copies and of what undo stored again',
  byEncoding: 'likewise',
};
/** Rules about servers count the violating servers. */
const OF_SERVERS = [
  'connection-limit',
  'idle-connections',
  'blocked-connections',
  'maxmemory',
  'eviction-policy',
  'persistence',
];

interface Conventions {
  rules: { id: string }[];
}

/** The reports made by jobs of the changes. */
const compareReports = async (own: PrivateConsole, report: Report): Promise<void> => {
  const read = async <T>(name: Name, path: string): Promise<T> =>
    (await get<T>(own, `/api/v1/connections/${name}${path}`)).body;
  const analysisOf = async (name: Name): Promise<object> => {
    const { items } = await read<{ items: { id: string }[] }>(name, '/analysis');
    return read(name, `/analysis/${items[0]?.id}`);
  };
  const conventionsOf = async (name: Name): Promise<object> => {
    const conventions = await read<Conventions>(name, '/conventions');
    return { ...conventions, rules: conventions.rules.filter(({ id }) => !OF_SERVERS.includes(id)) };
  };
  for (const [operation, reportOf, except] of [
    ['analysis.get', analysisOf, OF_ANALYSIS],
    ['conventions.report', conventionsOf, OF_WALKS],
  ] as const) {
    const [alone, cluster] = await Promise.all(NAMES.map(reportOf));
    const differences = differencesOf(
      withoutName(alone, ALONE),
      withoutName(cluster, CLUSTER),
      Object.keys(except),
    );
    const shown = differences.slice(0, 12).map((difference) => `\n        ${difference}`);
    report.check(
      `${operation} is the same`,
      differences.length === 0,
      [differences.length, ...shown].join(''),
    );
  }
};

export const run = async (report: Report): Promise<void> => {
  const [server, cluster] = await Promise.all([startRedis(), startCluster({ primaries: 3, replicas: 1 })]);
  const alone = new Redis(server.url);
  const clustered = new Cluster(cluster.nodes.map((node) => `redis://${node}`));
  try {
    await seed(alone);
    await seedSocial(alone);
    report.say(`${await copyKeys(alone, clustered)} keys`);
    const connections = [
      { id: ALONE, name: ALONE, url: server.url, ...CONNECTION },
      { id: CLUSTER, name: CLUSTER, cluster: { nodes: cluster.nodes }, ...CONNECTION },
    ];
    await withConsole(connections, async (own) => {
      const operations = await operationsOf(own);
      const reads = operations.filter(({ method }) => method === 'GET').map(({ id }) => id);
      const stale = [...Object.keys(READS), ...Object.keys(NOT_READ)].filter((id) => !reads.includes(id));
      report.check('every read that is named exists', stale.length === 0, stale.join(' '));
      for (const connection of NAMES)
        await until(`the count of ${connection}`, async () => (await isCounted(own, connection)) || null);
      await compareReads(own, operations, report);
      await compareChanges({ own, operations, stored: () => storedIn(alone, clustered), report });
      await compareReports(own, report);
      report.say('After all changes:');
      await compareReads(own, operations, report, true);
    });
  } finally {
    alone.disconnect();
    clustered.disconnect();
    await Promise.all([server.stop(), cluster.stop()]);
  }
};
