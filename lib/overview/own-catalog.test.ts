import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Actor } from '@/lib/actor';
import { catalogFacts } from '@/lib/connections/catalog-facts';
import { createVariableCommand, setVariableCommand } from '@/lib/env/commands';
import { variableHistory } from '@/lib/env/history';
import { listVariables } from '@/lib/env/reads';
import { invalidate } from '@/lib/families/commands';
import { approveFlagChange } from '@/lib/flags/approve';
import { createFlagCommand, deleteFlagCommand, setFlagCommand } from '@/lib/flags/commands';
import { evaluateFlags } from '@/lib/flags/ofrep/evaluate';
import { requestFlagChange } from '@/lib/flags/request-commands';
import { flagSchedule, scheduleFlag } from '@/lib/flags/schedule';
import { addToBlacklist, removeFromBlacklist } from '@/lib/guard/commands';
import { listBlacklist, listBlockedProjects } from '@/lib/guard/reads';
import { topIps } from '@/lib/guard/traffic/reads';
import { counterOf } from '@/lib/hit-rates/counters';
import { registerScheduled } from '@/lib/jobs/schedule';
import { keyId } from '@/lib/keyspace/display';
import { listWindows } from '@/lib/rate-limits/reads';
import { rateLimitContracts } from '@/lib/rate-limits/schema';
import { ScanBudget } from '@/lib/redis/budget';
import { connections, openConnection } from '@/lib/redis/connections';
import { takeCensus } from '@/lib/sampler/census';
import { IpProbe } from '@/lib/sampler/ip-probe';
import { HOUR, iso } from '@/lib/time';
import { writeNameIndexes } from '@/lib/values/name-index';
import { forgetNames } from '@/lib/values/named-keys';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { flagsOn, user } from '@/scripts/testing/flags';
import { problemOf } from '@/scripts/testing/problem-of';
import { executeDue } from '@/scripts/testing/scheduled';
import { getOverview } from './overview';

const CATALOG = join(import.meta.dirname, '../../scripts/testing/catalogs/desk.yaml');

let test: TestContext;
let on: ReturnType<typeof flagsOn>;
let ann: Actor;
let ben: Actor;
beforeAll(async () => {
  test = await testContext({ apps: [], catalogs: [CATALOG] });
  registerScheduled(flagSchedule);
  on = flagsOn(test, test.handle);
});
beforeEach(async () => {
  await test.empty();
  forgetNames(test.handle);
  connections.replace(new Map([['main', test.handle]]));
  [ann, ben] = [await user(test, 'ann', 'admin'), await user(test, 'ben', 'admin')];
});
afterAll(async () => {
  connections.forget();
  await test.close();
});

/** Of the keys that every connection may have. */
const COMMON_ROLES = ['bitmap', 'count', 'hyperloglog', 'leaderboard', 'lock', 'queue'];

it('has the pages of its roles', async () => {
  expect(catalogFacts(test.ctx.catalog)).toEqual({
    roles: ['ban-list', 'cache', 'counter', 'flag', 'variable', ...COMMON_ROLES].toSorted(),
    entities: [],
  });
  await test.redis.sadd('desk:banned', '192.0.2.1', '192.0.2.2');
  expect(await getOverview(test.ctx)).toMatchObject({
    blacklistedIps: 2,
    blockedProjects: null,
    sessions: null,
  });
});

it('has its flags there, from the list to the schedule', async () => {
  await test.redis.mset({ 'flag:new-checkout': 'off', 'flag:old ui': '1', 'conf:FEATURE_X': 'on' });
  const list = await on.list(ann);
  expect(list.naming).toEqual({ prefix: '', kind: 'own' });
  expect(list.items.map(({ name, enabled, key }) => [name, enabled, key])).toEqual([
    ['new-checkout', false, 'flag:new-checkout'],
    ['old ui', true, 'flag:old ui'],
  ]);
  const { etag } = list.items[0]!;
  await on.run(ann, setFlagCommand, { name: 'new-checkout', enabled: true, etag, reason: 'ready' });
  expect(await test.redis.get('flag:new-checkout')).toBe('on');
  expect(await on.flagOf(ann, 'new-checkout')).toMatchObject({
    updatedBy: 'ann@example.org',
    reason: 'ready',
  });
  await on.run(ann, createFlagCommand, { name: 'dark-mode', enabled: true, style: '1/0' });
  expect(await test.redis.get('flag:dark-mode')).toBe('1');
  expect((await problemOf(on.run(ann, createFlagCommand, { name: 'a b', enabled: true }))).status).toBe(400);
  const at = iso(Date.now() + HOUR);
  const dark = await on.etagOf(ann, 'dark-mode');
  await on.run(ann, scheduleFlag, { name: 'dark-mode', enabled: false, at, etag: dark });
  await executeDue(test.ctx.store, Date.now() + 2 * HOUR);
  expect(await test.redis.get('flag:dark-mode')).toBe('0');
  expect(await on.history(ann, 'dark-mode')).toMatchObject([{ to: '0' }, { to: '1' }]);
  expect((await evaluateFlags(test.ctx)).flags).toMatchObject([
    { key: 'dark-mode', value: false },
    { key: 'new-checkout', value: true },
    { key: 'old ui', value: true },
  ]);
  await on.run(ann, deleteFlagCommand, { name: 'old ui', etag: await on.etagOf(ann, 'old ui') });
  expect(await test.redis.exists('flag:old ui')).toBe(0);
});

it('keeps a flag and a variable of one name apart', async () => {
  await test.redis.mset({ 'flag:mode': 'off', 'conf:mode': 'fast' });
  const { etag } = await on.flagOf(ann, 'mode');
  await on.run(ann, setFlagCommand, { name: 'mode', enabled: true, etag });
  const variables = async () =>
    (await listVariables(test.ctx, {})).groups.flatMap((group) => group.variables);
  expect(await variables()).toMatchObject([{ name: 'mode', value: 'fast', updatedAt: null }]);
  expect((await variableHistory(test.ctx, { name: 'mode' })).items).toEqual([]);
  const [mode] = await variables();
  await on.run(ann, setVariableCommand, { name: 'mode', value: 'slow', etag: mode!.etag });
  expect(await test.redis.mget('flag:mode', 'conf:mode')).toEqual(['on', 'slow']);
  expect((await variableHistory(test.ctx, { name: 'mode' })).items).toMatchObject([{ to: 'slow' }]);
  expect(await on.history(ann, 'mode')).toMatchObject([{ to: 'on' }]);
  await on.run(ann, createVariableCommand, { name: 'FEATURE_Y', value: 'yes' });
  expect((await listVariables(test.ctx, {})).missing).toEqual([]);
  expect((await on.list(ann)).items.map(({ name }) => name)).toEqual(['mode']);
});

it('needs two people for its flags, however their keys are changed', async () => {
  const strict = openConnection({ ...test.handle.config, flags: { approval: 'two-person' } });
  try {
    connections().set('main', strict);
    await test.redis.set('flag:mode', 'off');
    const careful = flagsOn(test, strict);
    const change = { name: 'mode', enabled: true, etag: await careful.etagOf(ann, 'mode') };
    expect((await problemOf(careful.run(ann, setFlagCommand, change))).code).toBe('approval_required');
    const keyIds = [keyId(Buffer.from('flag:mode'))];
    const deleted = careful.run(ann, invalidate, { keyIds, withoutUndo: true });
    expect((await problemOf(deleted)).code).toBe('approval_required');
    await careful.run(ann, createVariableCommand, { name: 'FEATURE_A', value: 'no' });
    const { request } = await careful.run(ann, requestFlagChange, change);
    await careful.run(ben, approveFlagChange, { id: request.id });
    expect(await test.redis.get('flag:mode')).toBe('on');
  } finally {
    strict.topology.close();
  }
});

it('has its bans alone: other parts of the guard are a 404', async () => {
  await on.run(ann, addToBlacklist, { ips: ['192.0.2.7'] });
  expect(await test.redis.smembers('desk:banned')).toEqual(['192.0.2.7']);
  expect(await listBlacklist(test.ctx, { limit: 10 })).toMatchObject({
    items: [{ ip: '192.0.2.7', requests: null }],
    total: 1,
  });
  const others = [
    async () => listBlockedProjects(test.ctx, { limit: 10 }),
    async () => topIps(test.ctx, { map: 'all', limit: 10 }),
    async () => listWindows(test.ctx, rateLimitContracts.list.input.parse({})),
  ];
  for (const other of others) expect((await problemOf(other())).status).toBe(404);
  await new IpProbe(test.handle, test.ctx.store).tick();
  await on.run(ann, removeFromBlacklist, { ips: ['192.0.2.7'] });
  expect(await test.redis.exists('desk:banned')).toBe(0);
});

it('lists its flags from the last walk while its own scan takes long', async () => {
  await test.redis.eval(`for i = 1, 600 do redis.call('SET', 'answer:' .. i, '{}') end`, 0);
  await test.redis.set('flag:b', '1');
  const { names } = await takeCensus(test.handle, new AbortController().signal);
  await writeNameIndexes(test.ctx.store, 'main', names);
  const { budget } = test.handle;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  test.handle.budget = new ScanBudget({ chunk: 25, pauseMs: 100, maxAddedLatencyMs: 1000 });
  test.handle.budget.pauseBetween = () => released;
  try {
    const { items, complete } = await on.list(ann);
    expect([items.map(({ name }) => name), complete]).toEqual([['b'], false]);
  } finally {
    release();
    test.handle.budget = budget;
  }
});

it('counts its caches by its counters', async () => {
  const { catalog } = test.ctx;
  const counter = (key: string) => counterOf(catalog, Buffer.from(key));
  expect(counter('count:cache_hits:answer:daily')).toMatchObject({ family: 'desk.answer', period: 'daily' });
  expect(counter('count:cache_misses:desk.answer:daily')).toMatchObject({ outcome: 'misses' });
  expect(counter('count:cache_hits:none:daily')).toBeNull();
  await test.redis.mset({ 'conf:a': '1', 'flag:b': '1', 'count:cache_hits:answer:daily': '3' });
  const census = await takeCensus(test.handle, new AbortController().signal);
  const { startedAt: at } = census.census;
  expect(census.names).toEqual({ variable: { at, names: ['a'] }, flag: { at, names: ['b'] } });
  expect(census.counters.map(String)).toEqual(['count:cache_hits:answer:daily']);
});
