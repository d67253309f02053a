import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { forgetEnv } from '@/lib/configuration';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { createFirstAdmin, needsSetup, prepareFirstRun } from './setup';
import { signIn } from './sign-in';
import { listUsers } from './users';

const PASSWORD = 'correct horse battery';
let test: TestContext;
const configure = (email: string, password: string): void => {
  Object.assign(process.env, { KEYWARD_ADMIN_EMAIL: email, KEYWARD_ADMIN_PASSWORD: password });
  forgetEnv();
};
beforeAll(async () => {
  test = await testContext();
});
beforeEach(async () => {
  configure('', '');
  await test.empty();
});
afterAll(() => test.close());

const first = (code: string, email = 'ann@example.org') =>
  createFirstAdmin(test.ctx.store, { code, email, name: 'Ann', password: PASSWORD }, Date.now());

it('makes a code that is kept hashed, works once, and is replaced at the next start', async () => {
  const old = await prepareFirstRun();
  const code = await prepareFirstRun();
  expect(code).toMatch(/^[2-9B-Z]{5}(-[2-9B-Z]{5}){3}$/);
  expect(await test.storeRedis.get('keyward:setup-code')).not.toContain(code!.slice(0, 5));
  expect(await test.storeRedis.pttl('keyward:setup-code')).toBeGreaterThan(0);
  expect(await first(old!)).toEqual({ ok: false, reason: 'wrong-code' });
  expect(await first('')).toEqual({ ok: false, reason: 'wrong-code' });
  expect(await needsSetup()).toBe(true);

  const typed = ` ${code!.toLowerCase().replaceAll('-', ' ')}`;
  expect(await first(typed)).toMatchObject({ ok: true, user: { role: 'admin', email: 'ann@example.org' } });
  expect(await needsSetup()).toBe(false);
  expect(await first(code!, 'bob@example.org')).toEqual({ ok: false, reason: 'already-set-up' });
  expect(await test.storeRedis.exists('keyward:setup-code')).toBe(0);
  expect(await prepareFirstRun()).toBeNull();
});

it('makes exactly one admin of several set-ups at once', { tags: ['long'] }, async () => {
  const code = await prepareFirstRun();
  const all = await Promise.all(Array.from({ length: 6 }, (_, i) => first(code!, `a${i}@example.org`)));
  expect(all.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await listUsers(test.ctx.store)).toHaveLength(1);
});

it('creates the configured admin once, who can sign in', async () => {
  configure('Root@Example.org', PASSWORD);
  expect(await Promise.all([prepareFirstRun(), prepareFirstRun()])).toEqual([null, null]);
  expect(await listUsers(test.ctx.store)).toMatchObject([{ email: 'root@example.org', role: 'admin' }]);
  expect(await signIn({ email: 'root@example.org', password: PASSWORD, address: '::1' })).toMatchObject({
    ok: true,
  });
  configure('other@example.org', PASSWORD);
  expect(await prepareFirstRun()).toBeNull();
  expect(await listUsers(test.ctx.store)).toHaveLength(1);
  const log = JSON.stringify(await test.storeRedis.xrange('keyward:audit', '-', '+'));
  expect(log.match(/account\.setup/g)).toHaveLength(1);
  expect(log).not.toContain(PASSWORD);
});

it('asks for no code where an admin is configured, who can sign in before the start is over', async () => {
  configure('root@example.org', PASSWORD);
  expect(await needsSetup()).toBe(false);
  expect(await first('any')).toEqual({ ok: false, reason: 'already-set-up' });
  const credentials = { email: 'root@example.org', password: PASSWORD, address: '::1' };
  const both = await Promise.all([signIn(credentials), prepareFirstRun()]);
  expect(both).toMatchObject([{ ok: true, user: { role: 'admin' } }, null]);
  expect(await listUsers(test.ctx.store)).toHaveLength(1);
});
