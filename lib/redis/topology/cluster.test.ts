import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Cluster, startCluster } from '@/scripts/cluster.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { MovedSlots } from '../moved-slots';
import { scanKeys } from '../scan';
import { makeWriter } from '../writer';

let cluster: Cluster;
let test: TestContext;

beforeAll(async () => {
  cluster = await startCluster({ primaries: 3 });
  test = await testContext({ nodes: cluster.nodes });
});
beforeEach(async () => {
  await test.empty();
});
afterAll(async () => {
  await test.close();
  await cluster.stop();
});

const fill = async (count: number): Promise<string[]> => {
  const keys = Array.from({ length: count }, (_, i) => `key:${i}`);
  await Promise.all(keys.map((key) => test.redis.set(key, 'x')));
  return keys;
};

/** Every key that a scan yields, as often as it does. */
const scanned = async (during?: (chunks: number) => Promise<void>): Promise<string[]> => {
  const found: string[] = [];
  let chunks = 0;
  for await (const { keys } of scanKeys(test.handle, { chunk: 50 })) {
    found.push(...keys.map(String));
    chunks += 1;
    await during?.(chunks);
  }
  return found.sort();
};

it('has a node for each primary, and reads and writes on that of the key', { tags: ['long'] }, async () => {
  expect(test.handle.topology.primaries().map(({ id }) => id)).toHaveLength(3);
  const keys = await fill(100);
  const replies = await test.handle.reader.readMany(keys.map((key) => ['TYPE', Buffer.from(key)] as const));
  expect(new Set(replies)).toEqual(new Set(['string']));
  expect(await test.handle.reader.size()).toBe(100);
  expect(await makeWriter(test.handle).unlink(keys.map((key) => Buffer.from(key)))).toBe(100);
  expect(await test.handle.reader.size()).toBe(0);
});

it('scans every primary, each key once', { tags: ['long'] }, async () => {
  const keys = await fill(3000);
  expect(await scanned()).toEqual([...keys].sort());
});

it('goes on at a cursor on every primary', { tags: 'long' }, async () => {
  const keys = await fill(2000);
  const found: string[] = [];
  let cursor: string | null | undefined;
  let pages = 0;
  while (cursor !== null) {
    for await (const chunk of scanKeys(test.handle, { cursor, chunk: 100 })) {
      found.push(...chunk.keys.map(String));
      cursor = chunk.cursor;
      break;
    }
    pages += 1;
  }
  expect(pages).toBeGreaterThan(3);
  expect(found.sort()).toEqual([...keys].sort());
});

it('misses no key whose slot moves during a scan, and yields none twice', { tags: 'long' }, async () => {
  const keys = await fill(3000);
  const [first, second] = (await cluster.primaries()) as [never, never];
  const slots = Array.from({ length: 60 }, (_, i) => i);
  const slotsBack = slots.slice(0, 30);
  const found = await scanned(async (chunks) => {
    if (chunks === 5) await cluster.moveSlots(slots, second);
    if (chunks === 10) await cluster.moveSlots(slotsBack, first);
  });
  expect(found).toEqual([...keys].sort());
  await cluster.moveSlots(slots.slice(30), first);
});

it('reads a slot that stays open on both sides, at once, and a page tells when keys of it moved', {
  tags: ['long'],
}, async () => {
  const keys = [...(await fill(300)), ...Array.from({ length: 20 }, (_, i) => `{left}:${i}`)];
  for (const key of keys.slice(300)) await test.redis.set(key, 'x');
  const slot = cluster.slotOf('{left}');
  const owner = await cluster.serverOf('{left}');
  const other = (await cluster.primaries()).find(({ port }) => port !== owner.port)!;
  await cluster.beginMove(slot, other);
  await cluster.moveKeys(slot, 10);
  const before = performance.now();
  expect(await scanned()).toEqual([...keys].sort());
  expect(performance.now() - before).toBeLessThan(500);
  const page = async () => {
    let chunks = 0;
    for await (const _ of scanKeys(test.handle, { chunk: 20, isPage: true }))
      if (++chunks === 3) await cluster.moveKeys(slot, 5);
  };
  expect(await problemOf(page())).toMatchObject({ code: 'cursor_expired', status: 410 });
  expect(await scanned(async (chunks) => void (chunks === 3 && (await cluster.moveKeys(slot, 3))))).toEqual(
    [...keys].sort(),
  );
  await cluster.endMove(slot);
});

it('waits until slots that go on moving have arrived, rather than have them read again and again', {
  tags: 'long',
}, async () => {
  const [first, second] = (await cluster.primaries()) as [never, never];
  const slots = Array.from({ length: 150 }, (_, i) => i);
  const moved = await MovedSlots.begin(test.handle);
  let isOver = false;
  const moving = cluster.moveSlots(slots, second).then(() => {
    isOver = true;
  });
  let due: ReadonlySet<number> = new Set();
  while (due.size === 0) due = await moved.take();
  expect(isOver).toBe(true);
  expect([...due]).toEqual(expect.arrayContaining(slots));
  await moving;
  await cluster.moveSlots(slots, first);
});

it('reads keys that are on their way to a new node, before it has a slot', { tags: 'long' }, async () => {
  const keys = [...(await fill(300)), ...Array.from({ length: 20 }, (_, i) => `{new}:${i}`)];
  for (const key of keys.slice(300)) await test.redis.set(key, 'x');
  const slot = cluster.slotOf('{new}');
  const added = await cluster.addNode();
  await cluster.beginMove(slot, added);
  await cluster.moveKeys(slot, 10);
  const types = await test.handle.reader.readMany(keys.map((key) => ['TYPE', Buffer.from(key)] as const));
  expect(types).toEqual(keys.map(() => 'string'));
  expect(await scanned()).toEqual([...keys].sort());
  await cluster.endMove(slot);
  expect(await scanned()).toEqual([...keys].sort());
  await expect.poll(() => test.handle.topology.primaries().length, { timeout: 5000 }).toBe(4);
  expect(await test.handle.reader.size()).toBe(320);
});
