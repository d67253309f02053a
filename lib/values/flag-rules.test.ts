import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Actor } from '@/lib/actor';
import type { ConnectionConfig } from '@/lib/configuration';
import { setVariableCommand } from '@/lib/env/commands';
import { invalidate } from '@/lib/families/commands';
import { setFlagCommand } from '@/lib/flags/commands';
import { keyId } from '@/lib/keyspace/display';
import { findAttention } from '@/lib/overview/attention';
import { type ConnectionHandle, connections, openConnection } from '@/lib/redis/connections';
import { refuseConflictingRules } from '@/lib/wiring';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { flagsOn, keyOf, user } from '@/scripts/testing/flags';
import { problemOf } from '@/scripts/testing/problem-of';
import { compareServers, ruleConflicts } from './flag-rules';
import { forgetNames } from './named-keys';

const NAME = 'FEATURE_A';
const SOCKET = join('/tmp', `keyward-rules-${process.pid}.sock`);

let test: TestContext;
let ann: Actor;
const opened: ConnectionHandle[] = [];
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], redisArgs: ['--unixsocket', SOCKET] });
  await test.redis.call('ACL', 'SETUSER', 'other', 'on', '>pass', '~*', '+@all');
  await test.redis.call('ACL', 'SETUSER', 'blind', 'on', '>pass', '~*', '+@all', '-info');
});
beforeEach(async () => {
  await test.empty();
  for (const handle of opened.splice(0)) handle.topology.close();
  connections.replace(new Map());
  ann = await user(test, 'ann', 'admin');
  await test.redis.set(keyOf(NAME), 'off');
});
afterAll(async () => {
  for (const handle of opened) handle.topology.close();
  connections.forget();
  await test.close();
});

const open = (id: string, change: Partial<ConnectionConfig>): ConnectionHandle => {
  const handle = openConnection({ ...test.handle.config, id, ...change });
  opened.push(handle);
  connections().set(id, handle);
  return handle;
};
const TWO = { flags: { approval: 'two-person' as const } };
const urlWith = (change: (url: URL) => void): string => {
  const url = new URL(test.handle.config.url!);
  change(url);
  return url.href;
};
const as = (user: string) => urlWith((url) => Object.assign(url, { username: user, password: 'pass' }));

/** Turns the flag on without approval. */
const set = async (handle: ConnectionHandle) => {
  forgetNames(handle);
  const on = flagsOn(test, handle);
  return on.run(ann, setFlagCommand, { name: NAME, enabled: true, etag: await on.etagOf(ann, NAME) });
};

describe('two connections to one database of which one requires approval for flags', () => {
  it.each([
    ['the name of the host', () => urlWith((url) => Object.assign(url, { hostname: 'localhost' }))],
    ['a socket', () => `redis+unix://${SOCKET}?db=0`],
    ['another user', () => as('other')],
    ['a user who may not ask who the server is', () => as('blind')],
  ])('need two through both, whatever the other is reached by: %s', async (_, url) => {
    const strict = open('strict', TWO);
    const lax = open('lax', { url: url() });
    await compareServers();
    expect(ruleConflicts()).toMatchObject([
      { lax, strict, text: expect.stringContaining('"lax" and "strict"') },
    ]);
    expect(await problemOf(set(lax))).toMatchObject({ status: 409, code: 'approval_required' });
    const known = {
      alerts: [],
      census: null,
      flagRequests: 0,
      notPermitted: null,
      isStoreReachable: true,
      limitedProjects: null,
    };
    for (const connection of [lax, strict])
      expect(await findAttention({ ...test.as({ actor: ann }), connection }, known)).toContainEqual(
        expect.objectContaining({ id: 'flag-rules:lax', severity: 'warning' }),
      );
    expect((await flagsOn(test, lax).list(ann)).approval).toBe('two-person');
    expect(await test.redis.get(keyOf(NAME))).toBe('off');
  });

  it('need approval as variables too, and through an application without variables', async () => {
    open('strict', TWO);
    const lax = open('lax', { url: as('other') });
    const foreign = open('foreign', { url: as('other'), apps: ['hawk'] });
    await compareServers();
    const { run } = flagsOn(test, lax);
    const variable = { name: NAME, value: 'on', etag: 'any' };
    expect((await problemOf(run(ann, setVariableCommand, variable))).code).toBe('approval_required');
    const raw = { keyIds: [keyId(Buffer.from(keyOf(NAME)))], withoutUndo: true };
    expect((await problemOf(flagsOn(test, foreign).run(ann, invalidate, raw))).code).toBe(
      'approval_required',
    );
    expect(await test.redis.get(keyOf(NAME))).toBe('off');
  });

  it('keep Keyward from starting, and it names both', async () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    open('strict', TWO);
    await refuseConflictingRules();
    expect(exit).not.toHaveBeenCalled();
    open('lax', { url: `redis+unix://${SOCKET}` });
    await refuseConflictingRules();
    expect(exit).toHaveBeenCalledExactlyOnceWith(1);
    expect(errors.mock.calls).toEqual([[expect.stringMatching(/"lax" and "strict" use the same database/)]]);
    vi.restoreAllMocks();
  });

  it('still conflict while the server restarts', async () => {
    open('strict', TWO);
    const lax = open('lax', { url: as('other') });
    await compareServers();
    expect(ruleConflicts()).toHaveLength(1);
    lax.topology.primaries()[0]!.client('scan').process = () => 'another process';
    lax.topology.primaries()[0]!.client('read').process = () => 'another process';
    expect(ruleConflicts()).toHaveLength(1);
  });
});

describe('rules are compared for nothing else', () => {
  it('another database of the same server, a read-only connection, or the same rule', async () => {
    open('strict', TWO);
    open('same', { ...TWO, url: as('other') });
    open('locked', { url: as('other'), readOnly: true });
    const lax = open('next', { url: urlWith((url) => Object.assign(url, { pathname: '/1' })) });
    expect(await compareServers()).toEqual([]);
    expect(ruleConflicts()).toEqual([]);
    await test.redis.select(1);
    await test.redis.set(keyOf(NAME), 'off');
    expect(await set(lax)).toMatchObject({ enabled: true });
    await test.redis.select(0);
  });

  it('servers that cannot be identified are compared by address, with a warning', async () => {
    open('strict', TWO);
    open('blind', { url: as('blind') });
    open('gone', { url: 'redis://127.0.0.1:1' });
    expect(await compareServers()).toEqual(['"blind" and "strict"']);
  });
});
