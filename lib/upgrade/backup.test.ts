import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createUser, findUserByEmail } from '@/lib/access/users';
import { systemActor } from '@/lib/actor';
import { appendEvent } from '@/lib/audit/log';
import { verifyChain } from '@/lib/audit/verify';
import { forgetEnv } from '@/lib/configuration';
import { newId } from '@/lib/ids';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { backupStore, restoreStore } from './backup';

let test: TestContext;
const folder = mkdtempSync(join(tmpdir(), 'keyward-backup-'));
let number = 0;
const newFile = () => join(folder, `${++number}.backup`);

beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await test.close();
});

const append = () =>
  appendEvent(test.ctx.store, {
    id: newId(),
    actor: systemActor(),
    action: 'test.write',
    connection: null,
    target: null,
    reason: null,
    input: null,
    requestId: null,
    outcome: 'succeeded',
  });

/** Users, an audit log, many keys of every type, one of them with an expiry, and what a backup leaves out. */
const fill = async (redis: TestContext['storeRedis']): Promise<void> => {
  const ann = { email: 'ann@example.org', name: 'Ann', role: 'admin' as const, passwordHash: 'hash' };
  await createUser(test.ctx.store, ann, { now: Date.now() });
  for (let i = 0; i < 3; i++) await append();
  const pipeline = redis.pipeline();
  for (let i = 0; i < 450; i++) pipeline.hset(`keyward:job:${i}`, 'state', 'succeeded', 'n', i);
  pipeline
    .zadd('keyward:jobs', 1, 'a', 2, 'b')
    .sadd('keyward:open-jobs', 'a')
    .rpush('keyward:list', '1', '2');
  pipeline.set(Buffer.from('keyward:\xff\x00', 'latin1'), Buffer.from('\xfe', 'latin1'), 'PX', 3_600_000);
  pipeline
    .set('keyward:lease:sampler', 'x')
    .set('keyward:bull:keyward-jobs:meta', 'x')
    .set('keyward:secrets', 'x');
  await pipeline.exec();
};

const contentOf = async (redis: TestContext['storeRedis']): Promise<Record<string, string>> => {
  const keys = (await redis.keysBuffer('*')).map((key) => key.toString('latin1')).sort();
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(Buffer.from(key, 'latin1'))));
  return Object.fromEntries(keys.map((key, i) => [key, dumps[i]!.toString('base64')]));
};

it('writes a sealed file that only its owner reads, and restores every key from it', async () => {
  await fill(test.storeRedis);
  const before = await contentOf(test.storeRedis);
  const file = newFile();
  const count = await backupStore(file);
  expect(count).toBe(Object.keys(before).length - 3);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'latin1')).not.toMatch(/ann@example|keyward:/);
  expect(readdirSync(folder)).toEqual([`${number}.backup`]);

  await test.empty();
  expect(await restoreStore(file)).toEqual({ keys: count, expired: 0, problem: null });
  const after = await contentOf(test.storeRedis);
  const names = Object.keys(before).filter((key) => !/:(lease|bull|secrets)\b/.test(key));
  for (const key of names.filter((name) => !/:audit/.test(name)))
    expect([key, after[key]]).toEqual([key, before[key]]);
  expect(await findUserByEmail(test.ctx.store, 'ann@example.org')).toMatchObject({ role: 'admin' });
  const ttl = await test.storeRedis.pttl(Buffer.from('keyward:\xff\x00', 'latin1'));
  expect(ttl).toBeGreaterThan(3_500_000);
  // The restoration is the newest entry.
  expect(await verifyChain(test.ctx.store)).toMatchObject({ ok: true, entries: 4 });
});

it('is made again when something is recorded meanwhile, and is not made where that does not end', {
  tags: ['long'],
}, async () => {
  await fill(test.storeRedis);
  const { store } = test.ctx;
  let writes = 1;
  const use: typeof store.use = async (work) => {
    const result = await store.use(work);
    if (writes-- > 0) await append();
    return result;
  };
  const busy = { ...store, use };
  const count = await backupStore(newFile(), busy);
  await test.empty();
  expect((await restoreStore(join(folder, `${number}.backup`))).keys).toBe(count);
  writes = Number.POSITIVE_INFINITY;
  const file = newFile();
  await expect(backupStore(file, busy)).rejects.toThrow('Something was changed all the while');
  expect(readdirSync(folder)).not.toContain(`${number}.backup`);
});

it('restores nothing from a file that is cut, changed, of others, newer, or no backup', async () => {
  await fill(test.storeRedis);
  const file = newFile();
  await backupStore(file);
  const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n') as [string, ...string[]];
  const newer = header.replace('"format":1', '"format":2');
  const ofLater = header.replace('"format":1', '"format":1,"schema":99');
  const wrong: [string[], string][] = [
    [[header, ...lines.slice(0, -1)], 'The end of the file is missing'],
    [[header, lines[1]!, lines[0]!, ...lines.slice(2)], 'The file was changed'],
    [[header, ...lines.slice(1)], 'The file was changed'],
    [[header, `${lines[0]!.slice(0, -8)}AAAAAAA=`, ...lines.slice(1)], 'The file was changed'],
    [[newer, ...lines], 'has the format 2'],
    [[ofLater, ...lines], 'has schema 99'],
    [['{}'], 'no backup'],
    [[''], 'no backup'],
    [['\u0000\u0001'], 'no backup'],
  ];
  await test.empty();
  for (const [text, saying] of wrong) {
    const other = newFile();
    writeFileSync(other, `${text.join('\n')}\n`);
    await expect(restoreStore(other)).rejects.toThrow(saying);
  }
  const key = process.env.KEYWARD_SECRET_KEY;
  process.env.KEYWARD_SECRET_KEY = Buffer.alloc(32, 'another').toString('base64');
  forgetEnv();
  await expect(restoreStore(file)).rejects.toThrow('another KEYWARD_SECRET_KEY');
  process.env.KEYWARD_SECRET_KEY = key;
  forgetEnv();
  expect(await test.storeRedis.dbsize()).toBe(0);
  await test.storeRedis.set('keyward:user:x', '1');
  await expect(restoreStore(file)).rejects.toThrow('The store is not empty');
  expect(await test.storeRedis.dbsize()).toBe(1);
});
