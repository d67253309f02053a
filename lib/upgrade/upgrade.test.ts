import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createUser, findUserByEmail } from '@/lib/access/users';
import { listEntries } from '@/lib/audit/reads';
import { forgetEnv } from '@/lib/configuration';
import type { Problem } from '@/lib/errors';
import { openStore, type Store, store } from '@/lib/redis/store';
import { consoleVersion } from '@/lib/version';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { restoreStore } from './backup';
import { followVersion } from './follow';
import { keysOf } from './keys';
import { type Upgrade, upgradeStore } from './migrate';
import { type Migration, migrations } from './migrations';
import { readVersion } from './stored-version';

let test: TestContext;
let folder: string;
const opened: Store[] = [];

const open = (): Store => {
  const own = openStore(process.env.KEYWARD_STORE_URL!);
  opened.push(own);
  return own;
};
const paused = { now: 0, times: 0 };
const upgrade: Upgrade = {
  openWriting: open,
  noticeMs: 0,
  pauseJobs: async () => {
    paused.now += 1;
    paused.times += 1;
    return async () => {
      paused.now -= 1;
    };
  },
};

/** A step as a later version may have one: each job gets a field, some at a time. */
const addField: Migration = {
  to: 2,
  what: 'jobs get a colour',
  migrate: async (own) => {
    for await (const keys of keysOf(own, 'keyward:job:*'))
      await own.use(async (redis) => {
        const pipeline = redis.pipeline();
        for (const key of keys) pipeline.hsetnx(key, 'colour', 'blue').hincrby(key, 'seen', 1);
        await pipeline.exec();
      });
  },
};
const withSteps = (...steps: Migration[]) => migrations.replace([...migrations(), ...steps]);

/** Of an older console on the same store. */
const asOlder = async <T>(work: () => Promise<T>): Promise<T> => {
  const known = migrations();
  migrations.forget();
  try {
    return await work();
  } finally {
    migrations.replace(known);
  }
};

beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  await test.empty();
  folder = mkdtempSync(join(tmpdir(), 'keyward-upgrade-'));
  process.env.KEYWARD_BACKUP_DIR = join(folder, 'backups');
  forgetEnv();
  paused.times = 0;
});
afterEach(() => {
  migrations.forget();
  store().refuseWrites(null);
  for (const own of opened.splice(0)) own.close();
  delete process.env.KEYWARD_BACKUP_DIR;
  forgetEnv();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => test.close());

const backups = () => readdirSync(join(folder, 'backups'));

const fill = async (jobs = 250): Promise<void> => {
  const ann = { email: 'ann@example.org', name: 'Ann', role: 'admin' as const, passwordHash: 'hash' };
  await createUser(store(), ann, { now: Date.now() });
  const pipeline = test.storeRedis.pipeline();
  for (let n = 0; n < jobs; n++) pipeline.hset(`keyward:job:${n}`, 'state', 'done');
  await pipeline.exec();
};

it('gives an empty store its version, without a backup', async () => {
  expect(await upgradeStore(store(), upgrade)).toEqual({ why: null });
  expect(await readVersion(store())).toEqual({
    version: 1,
    migratingTo: null,
    backup: null,
    writtenBy: consoleVersion(),
  });
  expect(paused.times).toBe(0);
  expect((await listEntries(store())).items).toEqual([]);
});

it('upgrades an older store after a backup that restores what was there, and records it', {
  tags: ['long'],
}, async () => {
  await fill();
  expect(await upgradeStore(store(), upgrade)).toEqual({ why: null });
  expect(await readVersion(store())).toMatchObject({ version: 1 });
  withSteps(addField);
  expect(await upgradeStore(store(), upgrade)).toEqual({ why: null });
  expect(await readVersion(store())).toMatchObject({ version: 2, migratingTo: null });
  expect(await test.storeRedis.hgetall('keyward:job:249')).toEqual({
    state: 'done',
    colour: 'blue',
    seen: '1',
  });
  expect(paused).toEqual({ now: 0, times: 2 });
  const [from0, from1] = backups().sort();
  expect([from0, from1]).toEqual([expect.stringMatching(/^schema-0-/), expect.stringMatching(/^schema-1-/)]);
  expect(statSync(join(folder, 'backups', from1!)).mode & 0o777).toBe(0o600);
  expect((await listEntries(store())).items).toMatchObject([
    { action: 'store.upgrade', target: 'schema 1 → 2', detail: expect.stringContaining(from1!) },
    { action: 'store.upgrade', target: 'schema 0 → 1' },
  ]);

  await test.empty();
  await restoreStore(join(folder, 'backups', from1!));
  expect(await test.storeRedis.hgetall('keyward:job:249')).toEqual({ state: 'done' });
  expect(await findUserByEmail(store(), 'ann@example.org')).toMatchObject({ role: 'admin' });
  expect(await asOlder(() => upgradeStore(store(), upgrade))).toEqual({ why: null });
  expect(await upgradeStore(store(), upgrade)).toEqual({ why: null });
  expect(await test.storeRedis.hget('keyward:job:249', 'colour')).toBe('blue');
});

const refusalOf = (work: Promise<unknown>): Promise<Problem> =>
  work.then(
    () => expect.fail('it was written'),
    (error) => error as Problem,
  );

it('refuses every write to a store of a newer console, and reads on', async () => {
  await fill(1);
  await test.storeRedis.hset('keyward:schema', { version: '7', writtenBy: '3.2.1', migratingTo: '' });
  const before = await test.storeRedis.dbsize();
  const own = store();
  const { why } = await upgradeStore(own, upgrade);
  expect(why).toMatchObject({ code: 'store_version', status: 503 });
  expect(why?.message).toBe(
    `Keyward's store has schema 7 by Keyward 3.2.1; this is Keyward ${consoleVersion()}, which knows schema 1. Nothing is changed: use Keyward 3.2.1 or newer.`,
  );
  own.refuseWrites(why);
  const writes: (() => Promise<unknown>)[] = [
    () => own.use((redis) => redis.set('keyward:x', '1')),
    () => own.use((redis) => redis.call('SET', 'keyward:x', '1')),
    () => own.use((redis) => redis.multi().get('keyward:x').set('keyward:x', '1').exec()),
    () => own.run('lease', ['keyward:lease:x'], ['me', 1000]),
    () => own.withReplica((redis) => redis.del('keyward:job:0')),
    () =>
      createUser(own, { email: 'b@example.org', name: 'B', role: 'viewer', passwordHash: '' }, { now: 0 }),
  ];
  for (const write of writes) expect(await refusalOf(write())).toMatchObject({ code: 'store_version' });
  const mixed = await own.use((redis) =>
    redis.pipeline().hget('keyward:job:0', 'state').set('keyward:x', '1').exec(),
  );
  expect(mixed).toEqual([[null, 'done'], [expect.objectContaining({ code: 'store_version' })]]);
  const queue = own.queue('add');
  await new Promise((ready) => (queue.status === 'ready' ? ready(null) : queue.once('ready', ready)));
  expect(await refusalOf(queue.set('keyward:x', '1'))).toMatchObject({ code: 'store_version' });
  queue.disconnect();
  expect(await findUserByEmail(own, 'ann@example.org')).toMatchObject({ role: 'admin' });
  expect(await test.storeRedis.dbsize()).toBe(before);
});

it.each([
  ['has another type', (key: string) => test.storeRedis.set(key, '1')],
  ['has no number', (key: string) => test.storeRedis.hset(key, { version: '<script>' })],
  ['has a number of nobody', (key: string) => test.storeRedis.hset(key, { version: '-1' })],
])('changes nothing where the version %s', async (_, damage) => {
  await damage('keyward:schema');
  expect((await upgradeStore(store(), upgrade)).why?.message).toMatch(/cannot be read/);
});

it('does not begin without a backup, and says what to do', async () => {
  await fill(1);
  writeFileSync(join(folder, 'file'), '');
  process.env.KEYWARD_BACKUP_DIR = join(folder, 'file/backups');
  forgetEnv();
  const { why, hasFailed } = await upgradeStore(store(), upgrade);
  expect(hasFailed).toBe(true);
  expect(why?.message).toMatch(
    /has no schema version .* needs schema 1\. It is not upgraded because no backup can be written \(ENOTDIR\): set KEYWARD_BACKUP_DIR .* or to none/,
  );
  expect(await readVersion(store())).toBeNull();
  expect(paused.times).toBe(0);
  process.env.KEYWARD_BACKUP_DIR = 'none';
  forgetEnv();
  expect(await upgradeStore(store(), upgrade)).toEqual({ why: null });
});

it('leaves a store to older consoles when its backup fails half-way', async () => {
  await fill(1);
  expect(await upgradeStore(store(), upgrade)).toEqual({ why: null });
  withSteps(addField);
  const target = join(folder, 'backups');
  const atOnce: Upgrade = {
    ...upgrade,
    pauseJobs: async (...args) => {
      rmSync(target, { recursive: true });
      writeFileSync(target, '');
      return upgrade.pauseJobs(...args);
    },
  };
  const { why } = await upgradeStore(store(), atOnce);
  expect(why?.message).toMatch(/no backup can be written \(ENOTDIR\)/);
  expect(await readVersion(store())).toMatchObject({ version: 1, migratingTo: null, backup: null });
  expect(await asOlder(() => upgradeStore(store(), upgrade))).toEqual({ why: null });
});

it('goes on where an upgrade was interrupted, with the backup of before, and keeps older consoles out', async () => {
  await fill(300);
  await upgradeStore(store(), upgrade);
  let fails = 1;
  const failing: Migration = {
    to: 3,
    what: 'fails once',
    migrate: async () => {
      if (fails-- > 0) throw new Error('the store is gone');
    },
  };
  withSteps(addField, failing);
  const { why } = await upgradeStore(store(), upgrade);
  expect(why?.message).toContain('is tried again');
  expect(await readVersion(store())).toMatchObject({ version: 2, migratingTo: 3 });
  const older = await asOlder(() => upgradeStore(store(), upgrade));
  expect(older.why?.message).toMatch(/is upgraded to schema 3 by Keyward/);
  expect(await upgradeStore(store(), upgrade)).toEqual({ why: null });
  expect(await test.storeRedis.hget('keyward:job:0', 'seen')).toBe('1');
  expect(backups()).toHaveLength(2);
});

it('is done by one of three processes', async () => {
  await fill();
  withSteps(addField);
  const three = [open(), open(), open()];
  const answers = await Promise.all(three.map((own) => upgradeStore(own, upgrade)));
  for (const { why } of answers) if (why) expect(why.message).toContain('Another process is upgrading it');
  for (const own of three) expect(await upgradeStore(own, upgrade)).toEqual({ why: null });
  expect(await test.storeRedis.hget('keyward:job:7', 'seen')).toBe('1');
  expect(paused.times).toBe(1);
  expect(backups()).toHaveLength(1);
});

it('ends background work once another process has upgraded the store, and begins again after its restoration', {
  tags: ['long'],
}, async () => {
  let running = 0;
  const begin = () => {
    running += 1;
    return async () => {
      running -= 1;
    };
  };
  const own = open();
  const followed = followVersion(own, begin, upgrade);
  expect(own.refusal()?.message).toContain('is being checked');
  await followed.first;
  expect([running, own.refusal()]).toEqual([1, null]);
  await test.storeRedis.hset('keyward:schema', 'migratingTo', '2', 'writtenBy', '0.9.0');
  await expect.poll(() => running, { timeout: 5000 }).toBe(0);
  expect(own.refusal()?.message).toContain('is upgraded to schema 2 by Keyward 0.9.0');
  await test.storeRedis.hset('keyward:schema', 'migratingTo', '');
  await expect.poll(() => running, { timeout: 5000 }).toBe(1);
  expect(own.refusal()).toBeNull();
  await followed.stop(0);
  expect(running).toBe(0);
});

it('works on while a store cannot be read, but writes nothing before its version is known', async () => {
  const own = openStore('redis://127.0.0.1:1');
  opened.push(own);
  let running = 0;
  const followed = followVersion(
    own,
    () => {
      running += 1;
      return async () => {
        running -= 1;
      };
    },
    upgrade,
  );
  await followed.first;
  expect([running, own.refusal()?.code]).toEqual([1, 'store_unavailable']);
  await followed.stop(0);
});
