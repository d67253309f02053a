import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogOf } from '@/lib/command/context';
import type { Contract } from '@/lib/contract';
import { registerDomains } from '@/lib/domains/all';
import { closeQueue } from '@/lib/jobs/queue';
import { connections } from '@/lib/redis/connections';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { ask, CONNECTION, configureInterface, operations, ROOT } from '@/scripts/testing/interface';
import { minimalInput } from '@/scripts/testing/minimal-input';

let cluster: Cluster;
let test: TestContext;
beforeAll(async () => {
  configureInterface();
  cluster = await startCluster({ primaries: 3 });
  test = await testContext({ nodes: cluster.nodes });
  connections.replace(new Map([[CONNECTION, test.handle]]));
  registerDomains();
});
afterAll(async () => {
  await closeQueue();
  await test.close();
  await cluster.stop();
});

const write = (key: string, type: string): Promise<unknown> => {
  const { redis } = test;
  if (type === 'hash') return redis.hset(key, 'user_id', '1');
  if (type === 'list') return redis.rpush(key, '1');
  if (type === 'set') return redis.sadd(key, '1');
  if (type === 'zset') return redis.zadd(key, 1, '1');
  if (type === 'stream') return redis.xadd(key, '1-1', 'a', '1');
  return redis.set(key, '{"id": 1}');
};

interface Page {
  items?: unknown[];
  nextCursor?: string | null;
}

const MAX_PAGES = 60;

/** The number of items in all pages of a list; for keys, their names. */
const listed = async (contract: Contract): Promise<unknown> => {
  const items: unknown[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const input: Record<string, unknown> = {
      ...minimalInput(contract),
      limit: '20',
      ...(cursor && { cursor }),
    };
    const response = await ask(contract.id, input, ROOT);
    if (!response.headers.get('content-type')?.includes('json')) return null;
    const page = (await response.json()) as Page;
    if (response.status >= 500) return page;
    items.push(...(page.items ?? []));
    cursor = page.nextCursor ?? null;
    if (cursor === null)
      return contract.id === 'keys.list'
        ? items.map((item) => (item as { key: string }).key).sort()
        : items.length;
  }
  return 'pages never end';
};

/** Lists about the server itself, and of the console's own records. */
const OTHERS = /^(audit|clients|commandstats)\./;
const lists = operations.filter(
  ({ contract: { method, stream, id } }) => method === 'GET' && !stream && !OTHERS.test(id),
);
const readLists = async () => {
  const results: Record<string, unknown> = {};
  for (const { contract } of lists) results[contract.id] = await listed(contract);
  return results;
};

it('every list ends, with each key once, while slots stay open for ever', async () => {
  const keys = new Map<string, string>();
  for (const { examples = [], type, app } of catalogOf(test.handle).families)
    if (app !== 'console') for (const example of examples) keys.set(example, type);
  for (let i = 0; i < 60; i++) keys.set(`{open}:${i}`, 'string');
  for (const [key, type] of keys) await write(key, type);
  const before = await readLists();
  expect(before['keys.list']).toHaveLength(keys.size);
  const guest = await cluster.addNode();
  const servers = [...(await cluster.primaries()), guest];
  const opened = new Set<number>();
  for (const [i, key] of [...keys.keys()].entries()) {
    const slot = cluster.slotOf(key);
    if (opened.has(slot) || (i % 3 > 0 && key !== '{open}:0')) continue;
    opened.add(slot);
    const owner = await cluster.serverOf(key);
    await cluster.beginMove(slot, servers.find((server, n) => n >= i % 4 && server.port !== owner.port)!);
    await cluster.moveKeys(slot, key === '{open}:0' ? 30 : i % 2);
  }
  expect(opened.size).toBeGreaterThan(20);
  expect(await readLists()).toEqual(before);
}, 120_000);
