import { expect, test } from 'vitest';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { faultOfKey, KEY_RULES, keyRuleOf } from './key-rules';
import { policyFile } from './policy/definition';
import { policyFor } from './policy/policy';
import type { KeyFacts, Look } from './rule';
import type { RuleId } from './schema';

const NAMES = { disabledProjects: 'DisabledProjectsSet', blacklistIps: 'B', allIps: 'A', currentPeriod: 'C' };
const catalog = catalogFor(['discours', 'hawk', 'qianxun'], NAMES, []);
const policy = policyFor(catalog, policyFile.parse({}));
const LOOK: Look = { text: null, secrets: [], isDangling: false };

const facts = (name: string, given: Partial<KeyFacts> = {}): KeyFacts => {
  const key = Buffer.from(name);
  const { family, malformedOf } = catalog.locate(key);
  return {
    key,
    found: { family, malformedOf, type: null, isSettled: true },
    type: 'string',
    ttlMs: 600_000,
    memoryBytes: null,
    length: null,
    idleSeconds: null,
    look: null,
    ...given,
  };
};

const fault = (rule: RuleId, one: KeyFacts, by = policy) => faultOfKey(keyRuleOf(rule)!, one, by);
const text = (value: string): Partial<KeyFacts> => ({ look: { ...LOOK, text: Buffer.from(value) } });

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const TOKEN = 'q7Zt0LwVx9Pk2RmA4sYd8NbC';

/** A key that keeps the rule, and one that does not. */
const CASES: readonly (readonly [RuleId, KeyFacts[], KeyFacts[]])[] = [
  [
    'name-format',
    [facts('user:profile:12345'), facts('cache:my_list:1')],
    [facts('user_profile_12345'), facts('user/profile/1'), facts('UserProfile')],
  ],
  [
    'name-case',
    [facts('user:profile:1'), facts('cache:query:A1B2c3'), facts('metrics:Hits:day1')],
    [facts('UserProfile:x'), facts('DisabledProjectsSet'), facts('cache:Query:a')],
  ],
  ['name-empty-part', [facts('a:b')], [facts('user:profile:'), facts(':a'), facts('a::b'), facts('')]],
  [
    'name-business',
    [facts('user:1'), facts('u2f:key')],
    [facts('12345'), facts('42:cart'), facts(`${TOKEN}:x`)],
  ],
  [
    'name-length',
    [facts(`cache:${'x'.repeat(122)}`), facts(`cache:${'é'.repeat(122)}`)],
    [facts(`cache:${'x'.repeat(123)}`)],
  ],
  ['name-known-prefix', [facts('tmp:import:1'), facts('author:id:1')], [facts('whatever:1')]],
  [
    'ttl-required',
    [facts('cache:user:1'), facts('env_vars:PORT', { ttlMs: -1 })],
    ['cache:user:1', 'nothing', 'onlines', 'author:id:1'].map((name) => facts(name, { ttlMs: -1 })),
  ],
  [
    'ttl-band',
    [facts('cache:user:1', { ttlMs: 86_400_000 }), facts('other:1', { ttlMs: 1e12 })],
    [facts('cache:user:1', { ttlMs: 90_000_000 }), facts('lock:a:b', { ttlMs: 62_000 })],
  ],
  [
    'type-by-use',
    [facts('queue:email:pending', { type: 'list' }), facts('env_vars:PORT')],
    [facts('queue:email:pending'), facts('env_vars:PORT', { type: 'hash' })],
  ],
  ['value-size', [facts('a:b', { length: 2 ** 20 })], [facts('a:b', { length: 2 ** 20 + 1 })]],
  [
    'collection-length',
    [facts('a:b', { type: 'list', length: 10_000 })],
    [facts('a:b', { type: 'zset', length: 10_001 })],
  ],
  ['lock-ttl', [facts('lock:order:1')], [facts('lock:order:1', { ttlMs: -1 })]],
  [
    'lock-owner',
    [facts('lock:order:1', text(TOKEN))],
    [facts('lock:order:1', text('1')), facts('lock:order:1', text('')), facts('lock:a:b', text('TRUE'))],
  ],
  [
    'null-marker-ttl',
    [facts('cache:user:1', { length: 4, ttlMs: 300_000, ...text('NULL') })],
    [
      facts('cache:user:1', { length: 4, ttlMs: 3_600_000, ...text('NULL') }),
      facts('cache:user:1', { length: 4, ttlMs: -1, ...text('NULL') }),
    ],
  ],
  [
    'secrets-in-clear',
    [
      facts('cache:query:0cc175b9c0f1b6a831c399e269772661'),
      facts('user:profile:12345'),
      facts('notificationsubscriptions:1'),
      facts('65f0c0ffee0123456789abcd'),
    ],
    [
      facts(`oauth_state:${TOKEN}`),
      facts(`cache:${JWT}`),
      facts(`token:${TOKEN}`),
      facts('dsn:redis://u:secret@host'),
      facts('a:b', { look: { ...LOOK, secrets: ['field password'] } }),
      facts(`reset_${TOKEN}`),
      facts(TOKEN),
      facts(`${TOKEN}:cart`),
    ],
  ],
  [
    'abandoned-keys',
    [facts('state:import:1'), facts('user_sessions:1')],
    [
      facts('state:import:1', { ttlMs: -1 }),
      facts('user_sessions:1', { look: { ...LOOK, isDangling: true } }),
    ],
  ],
];

test.each(CASES)('%s: right and wrong keys', (rule, right, wrong) => {
  for (const one of right) expect([one.key.toString(), fault(rule, one)]).toEqual([one.key.toString(), null]);
  for (const one of wrong) expect(fault(rule, one), one.key.toString()).not.toBeNull();
});

test('each rule of keys has a case', () => {
  expect(CASES.map(([rule]) => rule).sort()).toEqual(KEY_RULES.map(({ id }) => id).sort());
});

test('no fault shows a part of a secret', () => {
  for (const name of [
    `oauth_state:${TOKEN}`,
    `cache:${JWT}`,
    `token:${TOKEN}`,
    'dsn:redis://u:secret@host',
  ]) {
    const found = KEY_RULES.map(({ id }) => fault(id, facts(name))).join(' ');
    expect(found).not.toMatch(/q7Zt|eyJ|c2ln|secret@/u);
  }
});

test('a rule is not about keys that have no use, type or value for it', () => {
  const plain = facts('other:1', { ttlMs: -1 });
  for (const rule of ['ttl-band', 'type-by-use', 'lock-ttl', 'lock-owner', 'null-marker-ttl'] as const)
    expect(keyRuleOf(rule)!.applies(plain, policy), rule).toBe(false);
});

test('where a length was not read, the memory decides as far as it can', () => {
  const string = keyRuleOf('value-size')!;
  const isUnread = (given: Partial<KeyFacts>) => string.isUnread(facts('a:b', given), policy);
  expect(isUnread({ memoryBytes: 2 ** 20 })).toBe(false);
  expect(fault('value-size', facts('a:b', { memoryBytes: 2 ** 20 }))).toBeNull();
  expect([isUnread({ memoryBytes: 2 ** 20 + 1 }), isUnread({ memoryBytes: null })]).toEqual([true, true]);
  const list = (memoryBytes: number | null) => facts('a:b', { type: 'list', memoryBytes });
  const long = keyRuleOf('collection-length')!;
  expect([20_000, 20_001, null].map((bytes) => long.isUnread(list(bytes), policy))).toEqual([
    false,
    true,
    true,
  ]);
});

test('a policy changes bands, uses, limits, prefixes and which rules are on', () => {
  const by = policyFor(
    catalog,
    policyFile.parse({
      prefixes: ['whatever'],
      rules: { 'name-format': 'off', 'name-case': 'error' },
      bands: { cache: { max: '1h' } },
      limits: { elements: 5, nameLength: 10 },
      families: {
        'discours.author-id': { ttl: 'required', use: 'hot-cache', rules: { 'name-case': 'off' } },
        'discours.sessions': { band: { max: '60d' } },
      },
    }),
  );
  expect(fault('name-known-prefix', facts('whatever:1'), by)).toBeNull();
  expect(fault('name-format', facts('plain'), by)).toBeNull();
  expect(by.severityOf('name-case', null)).toBe('error');
  expect(by.isOn('name-case', 'discours.author-id')).toBe(false);
  expect(fault('ttl-band', facts('cache:x', { ttlMs: 3_700_000 }), by)).toBe('3700 s left, at most 3600 s');
  expect(fault('collection-length', facts('a:b', { type: 'set', length: 6 }), by)).not.toBeNull();
  expect(fault('name-length', facts('cache:12345'), by)).toBe('11 characters');
  expect(fault('ttl-required', facts('author:id:1', { ttlMs: -1 }), by)).not.toBeNull();
  expect(by.bandOf(facts('author:id:1'))?.maxSeconds).toBe(1800);
});
