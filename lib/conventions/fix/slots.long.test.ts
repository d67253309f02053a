import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { renameBack } from '@/lib/families/rename-back';
import type { JobContext } from '@/lib/jobs/define';
import type { SnapshotEntry } from '@/lib/snapshots/snapshots';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import { basisOf } from './basis';
import { readFacts } from './facts';
import { FixCounts } from './fix-counts';
import { renameKeys } from './rename';

let cluster: Cluster;
let test: TestContext;
beforeAll(async () => {
  cluster = await startCluster({ primaries: 3 });
  test = await testContext({ apps: ['discours'], nodes: cluster.nodes });
});
beforeEach(() => test.empty());
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

/** Names that the convention has with colons, so nearly all in other slots. */
const KEYS = Array.from({ length: 30 }, (_, i) => `shop_item_${i}`);
const TAGGED = '{shop}_item_1';

const fix = async (keys: readonly string[]) => {
  const { signal } = new AbortController();
  const job = { jobId: 'j', signal, isFaster: () => false, ...UNFENCED, progress: async () => undefined };
  const ctx: JobContext = { ...test.ctx, ...job };
  const basis = await basisOf(ctx, 'name-format');
  const facts = await readFacts(
    ctx,
    'name-format',
    keys.map((key) => Buffer.from(key)),
  );
  const faults = facts.map((each) => ({ facts: each, detail: basis.faultOf(each)! }));
  const counts = new FixCounts('name-format', false);
  const stored: SnapshotEntry[] = [];
  const undo = {
    add: async (entries: readonly SnapshotEntry[]) => void stored.push(...entries),
    void: async () => undefined,
  };
  const throttled = <T>(call: () => Promise<T>) => call();
  await renameKeys(
    { ctx, basis, counts, dryRun: false, withoutUndo: false, undo, throttled, isNewName: () => true },
    faults,
  );
  return { counts, stored };
};

it('renames keys into other slots with their TTL, and undo gives them their names back', async () => {
  for (const key of [...KEYS, TAGGED]) await test.redis.set(key, key, 'EX', 900);
  const { counts, stored } = await fix([...KEYS, TAGGED]);
  expect(counts).toMatchObject({ conflicts: 0, vanished: 0 });
  expect(counts.fixed).toBeGreaterThanOrEqual(KEYS.length);
  for (const key of KEYS) {
    const name = key.replaceAll('_', ':');
    expect(await test.redis.get(name)).toBe(key);
    expect(await test.redis.ttl(name)).toBeGreaterThan(800);
    expect(await test.redis.exists(key)).toBe(0);
  }
  const changed = KEYS[3]!.replaceAll('_', ':');
  await test.redis.append(changed, '!');
  const states = await renameBack(test.ctx, stored);
  expect(states.filter(({ letter }) => letter === 'b')).toHaveLength(1);
  expect(states.filter(({ letter }) => letter === 'r')).toHaveLength(stored.length - 1);
  for (const key of KEYS) expect(await test.redis.get(key)).toBe(key === KEYS[3] ? null : key);
  // A second undo, or one after a job that did not get to it, finds nothing to do.
  const again = await renameBack(test.ctx, stored);
  expect(again.every(({ letter }) => letter === 'b')).toBe(true);
});
