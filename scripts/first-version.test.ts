import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyChain } from '@/lib/audit/verify';
import { forgetEnv } from '@/lib/configuration';
import { pauseJobs } from '@/lib/jobs/pause';
import { openStore, store } from '@/lib/redis/store';
import { restoreStore } from '@/lib/upgrade/backup';
import { upgradeStore } from '@/lib/upgrade/migrate';
import { readVersion } from '@/lib/upgrade/stored-version';
import { type TestContext, testContext } from './testing/context';
import { bearer, configureInterface, succeed, User } from './testing/interface';
import { IS_REDIS_6 } from './testing/this-redis';

/**
 * A store as the first packed version (050a7d30) wrote it through its interface: users, a token, a changed flag with its
 * description and schedule, an alert, a channel, a view, a note, a backup of variables, an analysis. Its key is that of
 * `testContext`; nothing in it is used elsewhere. Its job and analysis never expire, so the test can always read them.
 */
const FILE = 'scripts/testing/first-version.backup';
const TOKEN = 'kw_pO4QFcEWUwTgpQZiPz8FH42BOUlcbobj9kv_CPnw50Q';
const JOB = '01a22b32-0cfe-7217-b6e3-19ef9a77e3cd';

let test: TestContext;
const folder = mkdtempSync(join(tmpdir(), 'keyward-first-'));
beforeAll(async () => {
  process.env.KEYWARD_BACKUP_DIR = folder;
  configureInterface();
  test = await testContext({ apps: ['discours', 'hawk'] });
});
afterAll(async () => {
  delete process.env.KEYWARD_BACKUP_DIR;
  forgetEnv();
  rmSync(folder, { recursive: true, force: true });
  await test.close();
});

it.skipIf(IS_REDIS_6)('upgrades a store of the first version, and serves everything in it', async () => {
  await test.redis.mset('env_vars:FEATURE_OLD', 'true', 'env_vars:SITE_NAME', 'Old site');
  await restoreStore(FILE);
  expect(await readVersion(store())).toBeNull();
  const upgrade = { openWriting: () => openStore(process.env.KEYWARD_STORE_URL!), pauseJobs };
  expect(await upgradeStore(store(), upgrade)).toEqual({ why: null });
  expect(await readVersion(store())).toMatchObject({ version: 1, migratingTo: null });
  const [backup] = readdirSync(folder);
  expect(backup).toMatch(/^schema-0-.*\.backup$/);

  const { items: users } = await succeed<{ items: { id: string; email: string; role: string }[] }>(
    'users.list',
    {},
  );
  expect(users.map(({ role }) => role).sort()).toEqual(['admin', 'product', 'support', 'viewer']);
  const signedIn = await Promise.all(
    users.map(({ id, email, role }) => User.signIn(id, email, `password of ${role}`)),
  );
  for (const headers of [bearer(TOKEN), ...signedIn.map((user) => user.headers)]) {
    const { items } = await succeed<{ items: object[] }>('flags.list', {}, headers);
    expect(items).toEqual([
      expect.objectContaining({ name: 'FEATURE_OLD', enabled: true, description: 'An old flag' }),
    ]);
    expect(JSON.stringify(items)).toMatch(
      /Team Old.*written by the first version|written by the first version.*Team Old/,
    );
  }
  expect(await succeed('jobs.get', { jobId: JOB })).toMatchObject({ state: 'done' });
  expect(await succeed('analysis.get', { id: JOB })).toMatchObject({ id: JOB });
  expect(await succeed('alerts.list', {})).toMatchObject({ items: [{ name: 'Old alert' }] });
  expect(await succeed('savedViews.list', {})).toMatchObject({
    items: [{ name: 'Old view' }],
  });
  expect(await succeed('env.backups.list', {})).toMatchObject({ items: [{ kind: 'manual', variables: 2 }] });
  expect(await verifyChain(store())).toMatchObject({ ok: true, problem: null });

  await test.storeRedis.flushall();
  await restoreStore(join(folder, backup!));
  expect(await readVersion(store())).toMatchObject({ version: 0, migratingTo: null });
});
