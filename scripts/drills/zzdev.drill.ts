// The same keys in one server and in a cluster of three primaries with replicas: the console says the same of both, and
// does the same with both.
import { type Cluster, Redis } from 'ioredis';
import { seed } from '../demo-traffic/seed';
import { seedSocial } from '../demo-traffic/social/seed';
import { startRedis } from '../redis-server.mjs';
import type { PrivateConsole } from '../testing/private-console';
import { scanAll } from '../testing/scan-all';
import { get, until } from './api';
import { type Operation, operationsOf } from './operations';
import { type Report, withConsole } from './report';
import { differencesOf } from './truth-differences';
import { type Input, type Known, NOT_READ, READS } from './truth-reads';
import { readWhole, type Whole } from './truth-walk';

const ALONE = 'alone';
const CLUSTER = 'cluster';
const CONNECTION = {
  apps: ['discours', 'hawk', 'qianxun', 'minidouyin'],
  // No window ends during the drill.
  hawk: { threshold: 200, eventsLimit: 100, eventsPeriod: '6h' },
};
const MAX_SHOWN = 6;
const LATER_MS = 3 * 3_600_000;

/** Copies every key with its expiry, as it is stored. None expires during the drill. */
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

/** Texts name the connection. */
const withoutName = (value: unknown, connection: string): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(`/${connection}`, '/connection'));

const isCounted = async (own: PrivateConsole, connection: string): Promise<boolean> => {
  const { body } = await get<{ countedAt: string | null }>(own, `/api/v1/connections/${connection}/families`);
  return Boolean(body.countedAt);
};

const compareReads = async (
  own: PrivateConsole,
  operations: readonly Operation[],
  report: Report,
): Promise<void> => {
  const known = new Map<string, Whole>() as Map<string, Whole> & Known;
  for (const [id, { inputs = () => [{}], except = {} }] of Object.entries(READS)) {
    const operation = operations.find((each) => each.id === id);
    if (!operation) {
      report.check(`${id} is an operation`, false);
      continue;
    }
    const differences: string[] = [];
    let [reads, rows] = [0, 0];
    for (const input of inputs(known) as readonly Input[]) {
      const asked = new URLSearchParams(input).toString();
      const [alone, cluster] = await Promise.all(
        [ALONE, CLUSTER].map((connection) => readWhole(own, operation, connection, input)),
      );
      reads += 1;
      rows += alone!.items.length;
      if (Object.keys(input).length === 0) known.set(id, alone!);
      if (input.kind) known.set(`${id} ${input.kind}`, alone!);
      const found = [
        ...(alone!.status === cluster!.status ? [] : [`${alone!.status} ≠ ${cluster!.status}`]),
        ...differencesOf(
          withoutName(alone!.body, ALONE),
          withoutName(cluster!.body, CLUSTER),
          Object.keys(except),
        ),
      ];
      differences.push(...found.map((text) => `${asked} ${text}`));
    }
    const shown = differences.slice(0, MAX_SHOWN).map((text) => `\n        ${text}`);
    report.check(
      `${id} is the same: ${reads} reads, ${rows} rows`,
      differences.length === 0,
      [differences.length, ...shown].join(''),
    );
  }
};

export const run = async (report: Report): Promise<void> => {
  const [server, cluster] = await Promise.all([startRedis(), startRedis()]);
  const alone = new Redis(server.url);
  const clustered = new Redis(cluster.url);
  try {
    await seed(alone);
    await seedSocial(alone);
    report.say(`${await copyKeys(alone, clustered)} keys`);
    const connections = [
      { id: ALONE, name: ALONE, url: server.url, ...CONNECTION },
      { id: CLUSTER, name: CLUSTER, url: cluster.url, ...CONNECTION },
    ];
    await withConsole(connections, async (own) => {
      const operations = await operationsOf(own);
      const reads = operations.filter(({ method }) => method === 'GET').map(({ id }) => id);
      const unknown = reads.filter((id) => !(id in READS) && !(id in NOT_READ));
      report.check('every read is compared, or says why not', unknown.length === 0, unknown.join(' '));
      for (const connection of [ALONE, CLUSTER])
        await until(`the count of ${connection}`, async () => (await isCounted(own, connection)) || null);
      await compareReads(own, operations, report);
    });
  } finally {
    alone.disconnect();
    clustered.disconnect();
    await Promise.all([server.stop(), cluster.stop()]);
  }
};
