import { expect, test } from 'vitest';
import { catalogFor } from '@/lib/keyspace/apps-of';
import type { Checked, CheckedRule } from './checked';
import { policyFile } from './policy/definition';
import { NO_POLICY } from './policy/load';
import { policyFor } from './policy/policy';
import { reportOf } from './report';
import { CHECKLIST_TITLES, RULE_TEXTS } from './rule-texts';
import { RULE_IDS, type RuleId } from './schema';

const NAMES = { disabledProjects: 'D', blacklistIps: 'B', allIps: 'A', currentPeriod: 'C' };
const catalog = catalogFor(['discours'], NAMES, []);

const passed: CheckedRule = { of: 10, families: [], sample: [], reason: null };
const failed = (count: number, family: string | null = null): CheckedRule => ({
  ...passed,
  families: [{ family, count }],
});

const report = (rules: Partial<Record<RuleId, CheckedRule>>, file: unknown = {}) => {
  const content = policyFile.parse(file);
  const all = Object.fromEntries(RULE_IDS.map((id) => [id, rules[id] ?? passed]));
  const checked: Checked = {
    at: 1,
    keys: 10,
    complete: true,
    policy: '',
    catalog: '',
    walk: null,
    rules: all,
    forbidden: {},
  };
  const inForce = { policy: policyFor(catalog, content), source: { ...NO_POLICY, content }, problems: [] };
  return reportOf({ checked, inForce, waivers: [], yesterday: null, now: 1000 });
};

const itemOf = ({ checklist }: ReturnType<typeof report>, id: string) =>
  checklist.find((item) => item.id === id);

test("the checklist is the document's, in its order", () => {
  const { checklist } = report({});
  expect(checklist.map(({ title }) => title)).toEqual([
    'Names follow the convention',
    'Every key has a TTL',
    'Data types are chosen well',
    'Large values are split or compressed',
    'Locks expire and can be released by their owner only',
    'Caches are protected against misses and avalanches',
    'Connection pools are configured well',
  ]);
  expect(checklist.map(({ title }) => title)).toEqual(Object.values(CHECKLIST_TITLES));
  expect(checklist.every(({ state, count }) => state === 'passed' && count === 0)).toBe(true);
  expect(checklist.every(({ rules }) => rules.length > 0)).toBe(true);
});

test('an item fails with the sum of its rules, without informational ones', () => {
  const found = report({ 'lock-ttl': failed(2), 'lock-owner': failed(3), 'name-known-prefix': failed(9) });
  expect(itemOf(found, 'locks')).toMatchObject({ state: 'failed', count: 5, reason: null });
  expect(itemOf(found, 'naming')).toMatchObject({ state: 'passed', count: 0 });
});

test('an item with a rule that could not be seen is unknown with the reason, unless another fails', () => {
  const hidden = { ...passed, reason: 'The Redis user may not run INFO.' };
  expect(itemOf(report({ 'ttl-band': hidden }), 'ttl')).toMatchObject({
    state: 'unknown',
    count: null,
    reason: 'The Redis user may not run INFO.',
  });
  expect(itemOf(report({ 'ttl-band': hidden, 'ttl-required': failed(1) }), 'ttl')).toMatchObject({
    state: 'failed',
    count: 1,
  });
});

test('an item without rules that count is unknown', () => {
  const off = report({ 'type-by-use': failed(4) }, { rules: { 'type-by-use': 'info' } });
  expect(itemOf(off, 'type')).toMatchObject({
    state: 'unknown',
    reason: 'Its rules are switched off or informational only.',
  });
});

test('families have the severities that the policy gives them, and a rule the worst of those not waived', () => {
  const file = {
    rules: { 'name-case': 'info' },
    families: { 'discours.author-id': { rules: { 'name-case': 'error' } } },
  };
  const families = [
    { family: 'discours.author-id', count: 1 },
    { family: null, count: 2 },
  ];
  const rule = report({ 'name-case': { ...passed, families } }, file).rules.find(
    ({ id }) => id === 'name-case',
  );
  expect(rule).toMatchObject({ severity: 'error', families: [{ severity: 'error' }, { severity: 'info' }] });
});

test('no title states a figure that a policy may change', () => {
  for (const { title } of Object.values(RULE_TEXTS)) expect(title).not.toMatch(/\d/u);
});
