import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { verifyChain } from '@/lib/audit/verify';
import { readContext } from '@/lib/command/context';
import { runCommand } from '@/lib/command/run';
import { forgetEnv, readEnv } from '@/lib/configuration';
import { createFlagCommand } from '@/lib/flags/commands';
import { closeStore, store } from '@/lib/redis/store';
import { checkStore } from '@/scripts/doctor-checks';
import { findRedis, type RedisServer, startRedis } from '@/scripts/redis-server.mjs';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { readiness } from './health';
import { getOverview } from './overview';

let test: TestContext;
let folder: string;
let server: RedisServer | undefined;
let before: NodeJS.ProcessEnv;

beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  before = { ...process.env };
  folder = mkdtempSync(join(tmpdir(), 'keyward-full-'));
});
afterEach(async () => {
  closeStore();
  await server?.stop();
  Object.assign(process.env, before);
  forgetEnv();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await test.close();
});

const useAsStore = ({ url }: RedisServer): void => {
  closeStore();
  process.env.KEYWARD_STORE_URL = url;
  // Settings are not valid without one.
  process.env.REDIS_URL = url;
  forgetEnv();
};

let number = 0;
const create = () =>
  runCommand(createFlagCommand, {
    actor: testActor('admin'),
    requestId: 'r',
    connection: test.handle,
    raw: { name: `FEATURE_${++number}`, enabled: true },
  });

/** The server that writes files of at most 32 KiB, until its limit is raised: as a disk that is full. */
const withSmallDisk = async (): Promise<RedisServer> => {
  const program = join(folder, 'redis-server');
  writeFileSync(program, `#!/bin/sh\ntrap '' XFSZ\nulimit -S -f 64\nexec '${findRedis()}' "$@"\n`);
  chmodSync(program, 0o700);
  const given = process.env.KEYWARD_TEST_REDIS;
  process.env.KEYWARD_TEST_REDIS = program;
  try {
    return await startRedis({ dir: join(folder, 'aof'), appendOnly: true });
  } finally {
    if (given === undefined) delete process.env.KEYWARD_TEST_REDIS;
    else process.env.KEYWARD_TEST_REDIS = given;
  }
};

const attention = async () => {
  const caller = { actor: testActor('viewer'), requestId: 'r' };
  forget('overview sizes', 'overview sessions');
  return (await getOverview(readContext(caller, test.handle))).attention.find(
    ({ id }) => id === 'store-full',
  );
};

/** While the disk is full: one sentence everywhere, nothing is changed, reads go on. */
const expectRefused = async (why: string): Promise<void> => {
  const problem = await problemOf(create());
  expect(problem).toMatchObject({
    status: 503,
    code: 'store_unavailable',
    message: expect.stringContaining(why),
  });
  expect(await test.redis.exists(`env_vars:FEATURE_${number}`)).toBe(0);
  const reason = expect.stringContaining(why);
  await expect
    .poll(() => attention(), { timeout: 5000 })
    .toMatchObject({ severity: 'critical', detail: reason });
  expect(await readiness()).toMatchObject({
    status: 'degraded',
    dependencies: [{ name: 'store', state: 'degraded', reason }, expect.anything()],
  });
  const [finding] = await checkStore(readEnv(), process.env.KEYWARD_STORE_URL!);
  expect(finding).toMatchObject({ state: 'failed', text: expect.stringContaining(why) });
  expect((await listEntries(store())).items.length).toBeGreaterThan(0);
};

const expectHealed = async (): Promise<void> => {
  await expect
    .poll(
      () =>
        create().then(
          () => true,
          () => false,
        ),
      { timeout: 10_000 },
    )
    .toBe(true);
  expect(await test.redis.get(`env_vars:FEATURE_${number}`)).not.toBeNull();
  await expect.poll(() => attention(), { timeout: 5000 }).toBeUndefined();
  expect(await verifyChain(store())).toMatchObject({ ok: true });
};

it('refuses changes while the append-only file cannot be written, and goes on afterwards', async () => {
  server = await withSmallDisk();
  useAsStore(server);
  await create();
  const fill = () => store().use((redis) => redis.set('keyward:fill', 'x'.repeat(5000)));
  await expect
    .poll(
      () =>
        fill().then(
          () => false,
          () => true,
        ),
      { timeout: 10_000 },
    )
    .toBe(true);
  await expectRefused('cannot write to its append-only file');
  execFileSync('prlimit', ['--pid', String(server.pid), '--fsize=unlimited:']);
  await expectHealed();
}, 40_000);

it('refuses changes while snapshots cannot be saved, and goes on afterwards', async () => {
  const dir = join(folder, 'rdb');
  server = await startRedis({ dir, args: ['--save', '3600 1'] });
  useAsStore(server);
  await create();
  const isSaved = async (word: string) => {
    await store().use((redis) => redis.bgsave().catch(() => undefined));
    return (await store().use((redis) => redis.info('persistence'))).includes(
      `rdb_last_bgsave_status:${word}`,
    );
  };
  // A snapshot replaces the file of its name, and cannot replace a folder.
  const inTheWay = join(dir, 'dump.rdb');
  rmSync(inTheWay, { force: true });
  mkdirSync(join(inTheWay, 'x'), { recursive: true });
  await expect.poll(() => isSaved('err'), { timeout: 10_000 }).toBe(true);
  await expectRefused('cannot save to disk');
  rmSync(inTheWay, { recursive: true });
  await expect.poll(() => isSaved('ok'), { timeout: 10_000 }).toBe(true);
  await expectHealed();
}, 40_000);

it('refuses changes while its memory is full, and goes on afterwards', async () => {
  server = await startRedis();
  useAsStore(server);
  await create();
  await store().use((redis) => redis.config('SET', 'maxmemory', '1'));
  await expectRefused('memory limit is reached');
  await store().use((redis) => redis.config('SET', 'maxmemory', '0'));
  await expectHealed();
}, 40_000);
