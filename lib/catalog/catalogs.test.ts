import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findEntry } from '@/lib/audit/reads';
import { catalogOf } from '@/lib/command/context';
import { runCommand } from '@/lib/command/run';
import { type Census, writeCensus } from '@/lib/history/census';
import { cancelJob } from '@/lib/jobs/commands';
import { registerJob } from '@/lib/jobs/define';
import { closeQueue } from '@/lib/jobs/queue';
import { readRecord } from '@/lib/jobs/record';
import { type Runner, startRunner } from '@/lib/jobs/runner';
import { createLocator } from '@/lib/keyspace/classify';
import { fingerprintOf } from '@/lib/keyspace/fingerprint';
import { recheckCatalogs } from '@/lib/keyspace/own/load';
import { readCatalogText } from '@/lib/keyspace/own/read';
import { ScanBudget } from '@/lib/redis/budget';
import { closeConnections, connections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import { inferCatalog } from './commands';
import { inferJob } from './infer-job';
import { getCatalog } from './reads';
import { catalogContracts, inference } from './schema';

const folder = mkdtempSync(join(tmpdir(), 'keyward-catalogs-'));
const file = join(folder, 'shop.yaml');
const SHOP = `app: shop
title: Shop
families:
  - { id: session, pattern: 'sess:{id}', type: string, ttl: 1d, role: session,
      parts: { token: { param: id }, userId: { field: user_id } } }
  - { id: cart, pattern: 'cart:{id}', type: hash, ttl: { min: 1h, max: 2h } }
`;
const JWT = `eyJ${'aB3'.repeat(10)}.${'bC4'.repeat(10)}.${'cD5'.repeat(10)}`;

let test: TestContext;
let users: UserOfEachRole;
let runner: Runner | null = null;

beforeAll(async () => {
  writeFileSync(file, SHOP);
  // Proposing changes nothing, so a read-only connection allows it.
  process.env.KEYWARD_READ_ONLY = 'true';
  test = await testContext({ apps: ['discours'], catalogs: [file] });
  registerJob(inferJob);
});
beforeEach(async () => {
  closeStore();
  await test.empty();
  users = await userOfEachRole();
});
afterEach(async () => {
  await runner?.close();
  runner = null;
  await closeQueue();
  closeConnections();
});
afterAll(async () => {
  await test.close();
  delete process.env.KEYWARD_READ_ONLY;
  rmSync(folder, { recursive: true, force: true });
});

const read = async () =>
  catalogContracts.get.result.parse(
    await getCatalog({ ...test.as({ actor: users.viewer }), catalog: catalogOf(test.handle) }),
  );

const census = (change: Partial<Census>): Census => ({
  startedAt: 1,
  finishedAt: 2,
  families: {},
  unclassified: 0,
  malformed: 0,
  catalog: fingerprintOf(catalogOf(test.handle)),
  ...change,
});

describe('catalog.get', () => {
  it('describes the families in force, where they are from, and which one a role belongs to', async () => {
    const { families, entities, sources, coverage, unclassified, drift } = await read();
    expect(families.find(({ id }) => id === 'shop.session')).toMatchObject({
      role: 'session',
      ttl: '1 d',
      source: 'shop.yaml',
      shadowedBy: null,
      keys: null,
      guarded: true,
      sensitive: { params: ['id'], fields: [], value: false },
      parts: [
        { name: 'token', from: 'param', of: 'id' },
        { name: 'userId', from: 'field', of: 'user_id' },
      ],
    });
    expect(families.find(({ id }) => id === 'discours.session')).toMatchObject({
      source: null,
      shadowedBy: 'shop.session',
    });
    expect(families.some(({ app }) => app === 'console')).toBe(false);
    const topic = entities.find(({ kind }) => kind === 'topic');
    expect(topic).toMatchObject({ app: 'discours', title: expect.any(String), facts: ['Slug'] });
    expect(topic).toMatchObject({
      record: ['topic:id:{id}', 'topic:{id}'],
      conversation: [],
      relations: expect.arrayContaining([
        {
          id: 'followers',
          title: 'Followers',
          kind: 'author',
          from: 'members',
          of: ['topic:followers:{id}'],
        },
      ]),
    });
    expect(topic?.branches).toContainEqual(expect.objectContaining({ target: 'topic:slug:{slug}' }));
    expect(sources).toEqual([
      expect.objectContaining({ file: null, app: 'discours', inForce: true, loadedAt: null }),
      expect.objectContaining({ file: 'shop.yaml', app: 'shop', families: 2, inForce: true, problems: [] }),
    ]);
    expect(coverage).toMatchObject({ keys: null, countedAt: null, current: false });
    expect([unclassified, drift]).toEqual([[], []]);
  });

  it('returns the coverage and the drift of the last count', async () => {
    const prefixes = [{ prefix: 'x:', keys: 3, sample: ['x:1'] }];
    const counted = { memoryBytes: null, withoutTtl: 2, types: { hash: 9, string: 1 } };
    const cart = { keys: 10, ...counted, ttls: { of: 10, missing: 2, longer: 1, unexpected: 0 } };
    const session = { keys: 7, memoryBytes: null, withoutTtl: 0 };
    const fields = { of: 5, missing: { last_activity: 5, created_at: 2 } };
    await writeCensus(
      store(),
      'main',
      census({
        families: {
          'shop.cart': cart,
          'shop.session': session,
          gone: session,
          'discours.session': { ...session, fields },
        },
        unclassified: 3,
        malformed: 1,
        prefixes,
      }),
    );
    const { families, coverage, unclassified, drift } = await read();
    expect(coverage).toMatchObject({
      keys: 35,
      classified: 31,
      unclassified: 3,
      malformed: 1,
      current: true,
    });
    expect(unclassified).toEqual(prefixes);
    expect(families.find(({ id }) => id === 'shop.cart')?.keys).toBe(10);
    const of = (family: string) => drift.filter((row) => row.family === family);
    expect(of('shop.cart')).toEqual([
      expect.objectContaining({ what: 'ttl', documented: '1 h – 2 h', found: 'no TTL', keys: 2, of: 10 }),
      expect.objectContaining({ what: 'type', documented: 'hash', found: 'string', keys: 1, of: 10 }),
      expect.objectContaining({ what: 'ttl', found: 'longer TTL', keys: 1 }),
    ]);
    // Optional: only what no key has is reported.
    expect(of('discours.session')).toEqual([
      expect.objectContaining({
        what: 'field',
        documented: 'last_activity',
        found: 'missing',
        keys: 5,
        of: 5,
      }),
    ]);
    await writeCensus(store(), 'main', census({ catalog: undefined }));
    expect((await read()).coverage).toMatchObject({ keys: 0, current: false });
  });

  it('shows the problems of a file without its path, and keeps its last good version', async () => {
    writeFileSync(file, SHOP.replace('type: hash', 'type: heap'));
    recheckCatalogs();
    const broken = await read();
    expect(broken.sources[1]).toMatchObject({
      file: 'shop.yaml',
      app: 'shop',
      families: 2,
      inForce: false,
      problems: [{ line: 6, path: 'families[1].type', message: expect.stringContaining('expected one of') }],
    });
    expect(JSON.stringify(broken)).not.toContain(folder);
    expect(broken.families.some(({ id }) => id === 'shop.cart')).toBe(true);
    writeFileSync(file, SHOP.replace('cart:{id}', 'basket:{id}'));
    recheckCatalogs();
    const fixed = await read();
    expect(fixed.sources[1]).toMatchObject({ inForce: true, problems: [] });
    expect(fixed.families.find(({ id }) => id === 'shop.cart')?.pattern).toBe('basket:{id}');
    writeFileSync(file, SHOP);
    recheckCatalogs();
  });
});

const request = (raw: object, role: 'product' | 'support' | 'viewer' = 'product') =>
  runCommand(inferCatalog, { actor: users[role], requestId: 'r', connection: test.handle, raw });

const inferred = async (raw: object = {}) => {
  runner ??= startRunner(store());
  const { jobId, auditId } = await request(raw);
  const state = async () => (await readRecord(store(), jobId))!.state;
  await expect.poll(state, { timeout: 20_000 }).toBe('done');
  const result = inference.parse((await readRecord(store(), jobId))!.result);
  return { ...result, auditId };
};

/** A keyspace that no catalog knows. */
const fillUnknown = async (): Promise<void> => {
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < 300; i++) {
    pipeline.hset(`inv:item:${i}`, { sku: `s${i}`, stock: i });
    pipeline.set(`inv:price:${i}:eur`, i, 'EX', 300 + i);
    pipeline.sadd(`inv:tags:shelf-${i}`, 'a');
    pipeline.set(`inv:reset:${JWT}${i}`, '1', 'EX', 60);
  }
  pipeline.set('author:id:1', '{}', 'EX', 60);
  pipeline.rpush(Buffer.from([0xff, 0xfe, 0x00]), 'x');
  pipeline.set(`inv:${'k'.repeat(65_000)}`, 'x');
  await pipeline.exec();
};

describe('catalog.infer', () => {
  it('proposes a file that classifies an unknown keyspace, and changes nothing', {
    tags: ['long'],
  }, async () => {
    await fillUnknown();
    await test.redis.config('RESETSTAT');
    const { families, coverage, yaml, auditId } = await inferred();
    const commands = (await test.redis.info('commandstats')).match(/cmdstat_[a-z_|]+/g) ?? [];
    expect(commands.filter((name) => /_(set|del|unlink|expire|hset|eval|keys|restore)$/.test(name))).toEqual(
      [],
    );
    expect(coverage).toMatchObject({ unclassified: 1202, scanned: 1203, complete: true });
    expect(coverage.classified).toBeGreaterThanOrEqual(0.95 * coverage.unclassified);
    const loaded = readCatalogText('proposed.yaml', yaml);
    expect(loaded.text.problems).toEqual([]);
    const locate = createLocator(loaded.families.map(({ family }) => family));
    expect(locate(Buffer.from('inv:item:4711')).family?.type).toBe('hash');
    expect(locate(Buffer.from(`inv:reset:${JWT}9999`)).family?.sensitive).toHaveLength(1);
    expect(families.map(({ keys }) => keys)).toContain(300);
    // No piece of a token is in the proposal, nor in the audit log.
    const entry = await findEntry(store(), auditId);
    expect(JSON.stringify([families, yaml, entry])).not.toContain('aB3aB3');
    expect(entry).toMatchObject({
      action: 'catalog.infer',
      outcome: 'succeeded',
      target: 'all unclassified keys',
      after: { unclassified: 1202 },
    });
  });

  it('looks at the keys of a prefix only, whose glob characters are text', { tags: ['long'] }, async () => {
    await fillUnknown();
    await test.redis.mset('a*b:1', '1', 'a*b:2', '2', 'axb:3', '3');
    const some = await inferred({ prefixes: ['inv:item:', 'inv:i'] });
    expect(some.coverage).toMatchObject({ unclassified: 300, scanned: 300 });
    expect((await inferred({ prefixes: ['a*b:'] })).coverage).toMatchObject({ unclassified: 2 });
    expect(await inferred({ prefixes: ['nothing:'] })).toMatchObject({ families: [], yaml: '' });
  });

  it('stops when it is cancelled, and proposes nothing then', async () => {
    await fillUnknown();
    const slow = connections().get('main')!;
    slow.budget = new ScanBudget({ chunk: 5, pauseMs: 20, maxAddedLatencyMs: 1000 });
    runner = startRunner(store());
    const { jobId } = await request({});
    const job = async () => (await readRecord(store(), jobId))!;
    await expect.poll(async () => (await job()).done, { timeout: 10_000 }).toBeGreaterThan(0);
    const call = { actor: users.product, requestId: 'r', connection: null, raw: { jobId } };
    await runCommand(cancelJob, call);
    await expect.poll(async () => (await job()).state, { timeout: 10_000 }).toBe('cancelled');
    expect((await job()).result).toBeNull();
  });

  it('is refused without the permission, and for what is no prefix', async () => {
    for (const role of ['support', 'viewer'] as const)
      expect(await problemOf(request({}, role))).toMatchObject({ status: 403 });
    expect(await problemOf(request({ prefixes: [''] }))).toMatchObject({ status: 400 });
    expect(await problemOf(request({ prefixes: [] }))).toMatchObject({ status: 400 });
  });
});
