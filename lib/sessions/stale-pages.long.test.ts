import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { sessionContracts } from './schema';
import { listSessions } from './search';

let cluster: Cluster;
let test: TestContext | null = null;
beforeAll(async () => {
  cluster = await startCluster({ primaries: 3 });
}, 40_000);
afterEach(async () => {
  await test?.close();
});
afterAll(() => cluster.stop());

it.each(['one server', 'a cluster'])(
  '%s: lists stale entries in pages that end within a call, each once',
  async (where) => {
    const nodes = where === 'a cluster' ? { nodes: cluster.nodes } : {};
    test = await testContext({ apps: ['discours'], role: 'support', ...nodes });
    const { ctx, redis } = test;
    const users = Array.from({ length: 400 }, (_, i) => String(i + 1));
    await Promise.all(users.map((user) => redis.sadd(`user_sessions:${user}`, `a.b${user}.c`)));
    const found: (string | null)[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const raw = { state: 'staleIndex', limit: 7, ...(cursor && { cursor }) };
      const page: Awaited<ReturnType<typeof listSessions>> = await listSessions(
        ctx,
        sessionContracts.list.input.parse(raw),
      );
      found.push(...page.items.map(({ userId }) => userId));
      cursor = page.nextCursor;
    }
    expect(found.sort()).toEqual(users.sort());
  },
);
