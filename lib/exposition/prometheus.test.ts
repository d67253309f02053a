import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { registerDomains } from '@/lib/domains/all';
import { registerFigures } from '@/lib/figures/registry';
import { publishLive } from '@/lib/history/points';
import { writeSpan } from '@/lib/hit-rates/spans';
import { connections } from '@/lib/redis/connections';
import { openStore, store } from '@/lib/redis/store';
import { Sampler } from '@/lib/sampler/sampler';
import { SECOND } from '@/lib/time';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { parsePrometheus } from '@/scripts/testing/prometheus-text';
import { readPrometheus } from './prometheus';

const HOSTILE = 'a"b\\c\n<script>}{';

let test: TestContext;
let isHostile = false;

beforeAll(async () => {
  test = await testContext();
  registerDomains();
  registerFigures([
    {
      definitions: [
        { name: 'keyward_test_hostile', help: 'A\nB', unit: 'count', labels: ['of'], permission: 'view' },
      ],
      read: async ({ now }) =>
        isHostile ? [{ name: 'keyward_test_hostile', labels: { of: HOSTILE }, value: 1, at: now }] : [],
    },
  ]);
});
beforeEach(async () => {
  isHostile = false;
  forget('figures');
  await test.empty();
});
afterAll(() => test.close());

const scrape = (role: 'admin' | 'support' | 'viewer' = 'admin', own = store()): Promise<string> =>
  readPrometheus({ ...test.ctx, store: own, actor: testActor(role) });

const namesIn = (text: string): Set<string> => new Set(parsePrometheus(text).map(({ name }) => name));

const sampleOf = (text: string, name: string, labels: Record<string, string> = {}) =>
  parsePrometheus(text).find(
    (one) =>
      one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );

/** What the sampler knows of an application at work. */
const sampled = async (): Promise<void> => {
  const { redis } = test;
  await redis.set('topic:id:1', '{"id": 1}', 'EX', 600);
  await redis.set('topic:id:2', '{"id": 2}');
  await redis.set('no family', 'x');
  await redis.rpush('queue:mail', 'a', 'b', 'c');
  await redis.set('metrics:visits:daily', '12');
  await redis.hset('CurrentPeriodMap', { '192.0.2.7': 500_000, '192.0.2.8': 3 });
  await redis.sadd('BlacklistIPsSet', '198.51.100.1');
  forget('role keys');
  const sampler = new Sampler(store(), [...connections().values()]);
  await writeSpan(store(), 'main', 'sample', {
    at: Date.now() - 5 * SECOND,
    seconds: 10,
    windows: 10,
    cutShort: 0,
    reasons: [],
    families: { 'discours.topic-id': [30, 10, 10, 90, 120, 160] },
    total: [40, 10],
    left: [10, 0],
  });
  try {
    await vi.waitFor(
      async () => {
        await sampler.tick();
        forget('figures');
        const names = namesIn(await scrape());
        for (const name of ['redis_latency_seconds', 'family_keys', 'guard_banned_addresses', 'queue_length'])
          expect(names).toContain(`keyward_${name}`);
        for (const name of ['guard_heaviest_address_requests', 'application_metric_value'])
          expect(names).toContain(`keyward_${name}`);
      },
      { timeout: 20_000, interval: 300 },
    );
  } finally {
    await sampler.close();
  }
};

/** Commands that the application's Redis has processed. */
const commands = async (): Promise<number> =>
  Number(/total_commands_processed:(\d+)/.exec(await test.redis.info('stats'))![1]);

it('exposes what the sampler stored, in the text format, and asks the Redis for nothing', {
  tags: 'long',
}, async () => {
  await sampled();
  const before = await commands();
  forget('figures');
  const text = await scrape();
  // The difference is the INFO that read the first figure.
  expect((await commands()) - before).toBe(1);
  const value = (name: string, labels = {}) =>
    sampleOf(text, `keyward_${name}`, { connection: 'main', ...labels })?.value;
  const family = { family: 'discours.topic-id' };
  expect(value('redis_up')).toBe(1);
  expect(value('family_keys', family)).toBe(2);
  expect(value('family_keys_without_ttl', family)).toBe(1);
  expect(value('family_hit_ratio', family)).toBe(0.75);
  expect(value('family_hits_per_second', family)).toBe(3);
  expect(value('family_misses_per_second', family)).toBe(1);
  // The windows ran and saw no look-up of it.
  expect(value('family_misses_per_second', { family: 'discours.author-id' })).toBe(0);
  expect(value('hit_rate_coverage_ratio')).toBe(0.8);
  expect(value('unclassified_keys')).toBe(1);
  expect(value('queue_length', { queue: 'queue:mail' })).toBe(3);
  expect(value('application_metric_value', { metric: 'visits', period: 'daily', field: '' })).toBe(12);
  expect(value('guard_banned_addresses')).toBe(1);
  expect(value('guard_heaviest_address_requests')).toBe(500_000);
  expect(value('guard_addresses_over_threshold')).toBe(1);
  expect(value('figures_dropped', { kind: 'family' })).toBe(0);
  expect(value('sampled_ratio')).toBeGreaterThan(0);
  expect(sampleOf(text, 'keyward_store_up')?.value).toBe(1);
  expect(namesIn(text)).toContain('keyward_process_cpu_seconds_total');
  // Prometheus' own check, where it is installed.
  const { error, stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], { input: text });
  if (!error) expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: '' });
});

it('has no series of figures that the role may not see', { tags: ['long'] }, async () => {
  await sampled();
  const [admin, support, viewer] = [
    namesIn(await scrape()),
    namesIn(await scrape('support')),
    namesIn(await scrape('viewer')),
  ];
  const seen = (name: string) => [admin, support, viewer].map((names) => names.has(`keyward_${name}`));
  expect(seen('family_keys')).toEqual([true, true, true]);
  expect(seen('guard_banned_addresses')).toEqual([true, true, false]);
  expect(seen('queue_length')).toEqual([true, true, false]);
  expect(seen('audit_entries')).toEqual([true, false, false]);
});

it('says that a Redis is unreachable, and nothing else of it but how old its figures are', async () => {
  await sampled();
  const now = Date.now();
  await publishLive(store(), 'main', { gap: 'unreachable', at: now }, now);
  forget('figures');
  const ofRedis = parsePrometheus(await scrape()).filter(({ labels }) => labels.connection === 'main');
  expect(ofRedis.find(({ name }) => name === 'keyward_redis_up')?.value).toBe(0);
  const others = new Set(ofRedis.map(({ name }) => name.replace('keyward_', '')));
  expect([...others].sort()).toEqual([
    'census_age_seconds',
    'hit_rate_window_age_seconds',
    'redis_up',
    'sampled_ratio',
  ]);
});

it('forgets a series whose figure is gone, and escapes what an application named', async () => {
  isHostile = true;
  const hostile = await scrape();
  expect(sampleOf(hostile, 'keyward_test_hostile')?.labels.of).toBe(HOSTILE);
  expect(hostile).toContain('# HELP keyward_test_hostile A\\nB\n');
  isHostile = false;
  forget('figures');
  expect(await scrape()).not.toContain('keyward_test_hostile');
});

it('still has the figures of the process where the store is unreachable', async () => {
  const unreachable = openStore('redis://127.0.0.1:1');
  try {
    const text = await scrape('admin', unreachable);
    expect(sampleOf(text, 'keyward_store_up')?.value).toBe(0);
    expect(namesIn(text)).toContain('keyward_process_resident_memory_bytes');
    expect(parsePrometheus(text).filter(({ labels }) => 'connection' in labels)).toEqual([]);
  } finally {
    unreachable.close();
  }
});
