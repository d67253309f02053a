import { expect, test } from 'vitest';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { MINUTE, utcText } from '@/lib/time';
import { policyFile } from './policy/definition';
import { policyFor } from './policy/policy';
import type { RuleId } from './schema';
import { checkServers, forbiddenUses } from './server-rules';
import { parseClients, type ServerState } from './server-state';

const NAMES = { disabledProjects: 'DisabledProjectsSet', blacklistIps: 'B', allIps: 'A', currentPeriod: 'C' };
const catalog = catalogFor(['discours', 'hawk'], NAMES, []);
const NOTHING_MUST_STAY = catalogFor(['qianxun'], NAMES, []);
const NOW = 1_700_000_000_000;

const NO_STATE: ServerState = {
  info: null,
  infoReason: null,
  commands: null,
  commandsReason: null,
  config: null,
  configReason: null,
  clients: null,
  clientsReason: null,
};

const findingOf = (id: RuleId, state: Partial<ServerState>, file: unknown = {}, by = catalog) =>
  checkServers([{ ...NO_STATE, ...state }], {
    policy: policyFor(by, policyFile.parse(file)),
    catalog: by,
    forbidden: {},
    now: NOW,
  }).get(id)!;

const info = (fields: Record<string, string>) => ({ info: new Map(Object.entries(fields)) });
const details = (...args: Parameters<typeof findingOf>) =>
  findingOf(...args).violations.map(({ detail }) => detail);
const PASSED = { violations: [], reason: null };
const NOT_REPORTED = { violations: [], reason: 'The server does not report it.' };

test('snapshots are unknown where the server does not tell its setting, not off', () => {
  const persistenceOf = (config: Map<string, string>) =>
    findingOf('persistence', { ...info({ aof_enabled: '0' }), config });
  expect(persistenceOf(new Map([['save', '']]))).toMatchObject({ violations: [{ key: 'persistence' }] });
  expect(persistenceOf(new Map([['save', '60 1']]))).toEqual(PASSED);
  expect(persistenceOf(new Map())).toEqual(NOT_REPORTED);
});

test('connections are compared with the limit, which the policy may change', () => {
  const of = (connected: string) => info({ connected_clients: connected, maxclients: '100' });
  expect(findingOf('connection-limit', of('80'))).toEqual(PASSED);
  expect(details('connection-limit', of('81'))).toEqual(['81 of 100 clients (81 %)']);
  expect(findingOf('connection-limit', of('81'), { limits: { connections: 0.9 } })).toEqual(PASSED);
  const withoutLimit = info({ connected_clients: '5' });
  expect(findingOf('connection-limit', withoutLimit)).toEqual(NOT_REPORTED);
  const config = new Map([['maxclients', '6']]);
  expect(details('connection-limit', { ...withoutLimit, config })).toEqual(['5 of 6 clients (83 %)']);
});

const clients = (idle: number, busy: number, kind = 'flags=N sub=0') => ({
  clients: parseClients(
    [
      ...Array.from({ length: idle }, () => `id=1 name=a ${kind} idle=700`),
      ...Array.from({ length: busy }, () => 'id=2 name=b flags=N sub=0 idle=1'),
      ...Array.from({ length: 50 }, () => 'id=3 name=keyward-read flags=N sub=0 idle=900'),
    ].join('\n'),
  ),
});

test('idle clients are those that send, without subscribers, replicas and our own', () => {
  expect(details('idle-connections', clients(20, 19))).toEqual(['20 of 39 clients sent nothing for 600 s']);
  expect(findingOf('idle-connections', clients(20, 20))).toEqual(PASSED);
  expect(findingOf('idle-connections', clients(19, 0))).toEqual(PASSED);
  for (const kind of ['flags=P sub=2', 'flags=S sub=0', 'flags=N sub=1'])
    expect(findingOf('idle-connections', clients(30, 1, kind))).toEqual(PASSED);
  expect(findingOf('idle-connections', clients(30, 1), { limits: { idleSeconds: 701 } })).toEqual(PASSED);
  expect(findingOf('idle-connections', { clientsReason: 'Refused.' }).reason).toBe('Refused.');
});

test('blocked clients are a fault where they are many, and most', () => {
  const of = (blocked: string, connected: string) =>
    info({ blocked_clients: blocked, connected_clients: connected });
  expect(details('blocked-connections', of('10', '19'))).toEqual(['10 of 19 clients']);
  expect(findingOf('blocked-connections', of('10', '20'))).toEqual(PASSED);
  expect(findingOf('blocked-connections', of('9', '9'))).toEqual(PASSED);
  expect(findingOf('blocked-connections', {})).toEqual(NOT_REPORTED);
});

test('an eviction policy must spare what persists, and not refuse every write', () => {
  const of = (policy: string, maxmemory = '1000') => info({ maxmemory, maxmemory_policy: policy });
  expect(findingOf('eviction-policy', of('volatile-lru'))).toEqual(PASSED);
  expect(details('eviction-policy', of('noeviction'))).toEqual([
    'noeviction: writes are refused at the limit',
  ]);
  expect(details('eviction-policy', of('allkeys-lru'))).toEqual([
    'allkeys-lru evicts keys that must persist',
  ]);
  expect(findingOf('eviction-policy', of('allkeys-lru'), {}, NOTHING_MUST_STAY)).toEqual(PASSED);
  expect(findingOf('eviction-policy', of('noeviction', '0'))).toEqual(PASSED);
  expect(details('maxmemory', of('noeviction', '0'))).toEqual(['it is 0: no limit']);
});

const commands = (calls: Record<string, number>, uptime = '3600') => ({
  ...NO_STATE,
  commands: new Map(Object.entries(calls)),
  ...info({ uptime_in_seconds: uptime }),
});

test('transactions without blocking commands are seen only where one of the two is not used', () => {
  const rule = 'blocking-in-transaction';
  expect(findingOf(rule, commands({ exec: 5, get: 1 }))).toEqual(PASSED);
  expect(findingOf(rule, commands({ blpop: 5 }))).toEqual(PASSED);
  expect(findingOf(rule, commands({ blpop: 5, exec: 1 })).reason).toMatch(/does not report which commands/u);
});

test('a forbidden command was first seen after the server started', () => {
  const before = { keys: { calls: 3, firstSeenAt: NOW - 30 * MINUTE } };
  expect(forbiddenUses([commands({ keys: 5 })], before, NOW).keys).toEqual({
    calls: 5,
    firstSeenAt: NOW - 30 * MINUTE,
  });
  for (const state of [commands({ keys: 5 }, '600'), commands({ keys: 2 })])
    expect(forbiddenUses([state], before, NOW).keys?.firstSeenAt).toBe(NOW);
  // Statistics that are refused once, or by one of several servers, forget nothing.
  expect(forbiddenUses([NO_STATE], before, NOW)).toEqual(before);
  expect(forbiddenUses([NO_STATE, commands({ keys: 1 })], before, NOW)).toEqual(before);
  expect(details('forbidden-commands', commands({ keys: 1 }))).toEqual([
    `1 call since ${utcText(NOW - 60 * MINUTE)} or the last reset`,
  ]);
});
