import { afterAll, beforeAll, expect, it } from 'vitest';
import { createUser, findUser } from '@/lib/access/users';
import { forgetEnv } from '@/lib/configuration';
import { type TestContext, testContext } from './testing/context';
import { runScript } from './testing/run-script';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
afterAll(() => test.close());

/** The console's own configuration, as the administrator of the store has it. */
const consoles = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));

const run = (...args: string[]) =>
  runScript('seal-accounts.mjs', args, consoles('REDIS_URL', 'KEYWARD_STORE_URL', 'KEYWARD_SECRET_KEY'));

it('seals nothing under a key made here, in a store that is in use with another', async () => {
  await test.storeRedis.set('keyward:secrets', 'of other secrets');
  const withoutSecrets = consoles('REDIS_URL', 'KEYWARD_STORE_URL');
  const { status, output } = await runScript('seal-accounts.mjs', ['--yes', 'x'], withoutSecrets);
  expect([status, output]).toEqual([1, expect.stringContaining('set both variables')]);
  await test.storeRedis.del('keyward:secrets');
}, 60_000);

it('lists what is refused after a loss of the secrets, and seals it on request', async () => {
  const ann = {
    email: 'ann@example.org',
    name: '\u001b[2JAnn',
    role: 'admin' as const,
    passwordHash: 'hash',
  };
  const created = await createUser(test.ctx.store, ann, { now: Date.now() });
  if (!created.ok) throw new Error(created.reason);
  const { id } = created.user;
  expect(await run()).toMatchObject({ status: 0, output: expect.stringContaining('nothing to seal') });

  process.env.KEYWARD_SECRET_KEY = Buffer.alloc(32, 'another').toString('base64');
  forgetEnv();
  expect(await findUser(test.ctx.store, id)).toBeNull();
  const listed = await run();
  expect(listed).toMatchObject({ status: 0, output: expect.stringContaining('Nothing was changed') });
  expect(listed.output).toContain(`user       ${id}  "ann@example.org"  "admin"  enabled`);
  expect(await findUser(test.ctx.store, id)).toBeNull();

  const [, listing] = /accounts:seal -- --yes (\S+)/.exec(listed.output)!;
  // Somebody writes a record after the listing: an unseen record is not sealed, nor anything by a wrong digest.
  const eve = { email: 'eve@example.org', role: 'admin', disabled: '0', passwordHash: 'hash', epoch: '1' };
  await test.storeRedis.hset('keyward:user:eve', eve);
  await test.storeRedis.sadd('keyward:users', 'eve');
  for (const args of [
    ['--yes', listing!],
    ['--yes', 'x'],
  ]) {
    const { status, output } = await run(...args);
    expect([status, output]).toEqual([
      1,
      expect.stringContaining('The list changed since --yes was printed'),
    ]);
    expect(output).toContain('eve@example.org');
  }
  expect(await findUser(test.ctx.store, id)).toBeNull();
  await test.storeRedis.srem('keyward:users', 'eve');

  expect(await run('--yes', listing!)).toMatchObject({
    status: 0,
    output: expect.stringContaining('Sealed 1'),
  });
  expect(await findUser(test.ctx.store, id)).toMatchObject({ role: 'admin', email: 'ann@example.org' });
  const log = JSON.stringify(await test.storeRedis.xrange('keyward:audit', '-', '+'));
  expect(log).toContain('account.sealRecords');
  expect(log).toContain('npm run accounts:seal');
}, 60_000);
