import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { problemText } from '@/lib/keyspace/own/problems';
import { readConfiguration } from '@/scripts/configuration';
import { loadedPolicy, loadPolicy, recheckPolicies } from './load';
import { readPolicyText } from './read';

const folder = mkdtempSync(join(tmpdir(), 'keyward-policy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const problemsOf = (content: string): string[] =>
  readPolicyText('conventions.yaml', content).text.problems.map(problemText);

test.each([
  [
    'rules: { name-colour: off }',
    /:1:10 rules: found the key "name-colour", expected a mapping to off or a severity, of rules among name-format/,
  ],
  [
    'rules:\n  name-case: fatal',
    /:2:14 rules.name-case: found "fatal", expected off or error, warning, info/,
  ],
  ['bands:\n  cache: { min: 2d, max: 1d }', /:2:\d+ bands.cache: .*min is not above its max/],
  ['bands: { nap: { max: 1d } }', /:1:10 bands: found the key "nap"/],
  ['limits: { elements: 0 }', /limits.elements: found 0, expected a whole number above 0/],
  ['famlies: {}', /:1:1: found the key "famlies", expected one of prefixes, rules/],
  ['families: { Cart: { ttl: required } }', /families: found the key "Cart", expected the id of a family/],
  ['waivers: [{ rule: name-case, who: a, why: b }]', /waivers\[0\].until: found nothing, expected a date/],
  ['waivers: [{ rule: name-case, who: a, why: b, until: 2026-02-31x }]', /until: found "2026-02-31x"/],
  ['waivers: [{ rule: name-case, who: a, why: b, until: 2027-02-31 }]', /until: found "2027-02-31"/],
  [
    'waivers: [{ rule: name-case, who: a, why: b, until: "2027-02-31T12:00:00Z" }]',
    /until: found "2027-02-31T/,
  ],
  ['limits: { expiringTogether: 0.001 }', /expiringTogether: found 0.001, expected a share from 0.005 to 1/],
  [
    'waivers:\n  - { rule: name-case, who: a, why: b, until: 2030-01-01 }\n  - { rule: name-case, who: c, why: d, until: 2031-01-01 }',
    /:3:5 waivers\[1\]: found a second waiver of this rule and family/,
  ],
  ['rules: [', /expected a closing } or ]/],
])('%j is refused with its place', (content, problem) => {
  expect(problemsOf(content).join('\n')).toMatch(problem);
});

test('an empty file and one with all fields are valid; a waiver past its date is no problem', () => {
  expect(problemsOf('')).toEqual([]);
  const { content, text } = readPolicyText(
    'x',
    `prefixes: [shop]
rules: { name-known-prefix: off, ttl-band: error }
bands: { session: { min: 1d, max: 30d } }
limits: { nameLength: 200, valueBytes: 2000000, elements: 50000, expiringTogether: 0.2, connections: 0.9, idleSeconds: 60, idle: 0.3, blocked: 0.4 }
families: { shop.cart: { use: session, ttl: required, band: { max: 3600 }, rules: { name-case: info } } }
waivers: [{ rule: name-case, family: shop.cart, who: toni, why: soon, until: 2020-01-31 }]`,
  );
  expect(text.problems).toEqual([]);
  expect(content?.bands.session).toEqual({ min: 86_400, max: 2_592_000 });
  expect(content?.waivers[0]?.until).toBe(Date.parse('2020-01-31T23:59:59.999Z'));
});

test('a version that becomes invalid leaves the one before in force, until it is corrected', () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const path = file('changing.yaml', 'rules: { name-case: off }');
  expect(loadedPolicy(path)).toMatchObject({ content: { rules: { 'name-case': 'off' } }, problems: [] });
  file('changing.yaml', 'rules: { name-case: sometimes }');
  utimesSync(path, 1, 1);
  recheckPolicies();
  const kept = loadedPolicy(path);
  expect(kept.content.rules).toEqual({ 'name-case': 'off' });
  expect(kept.problems).toMatchObject([{ line: 1, column: 21, path: 'rules.name-case' }]);
  file('changing.yaml', 'rules: { name-case: info }');
  recheckPolicies();
  expect(loadedPolicy(path)).toMatchObject({ content: { rules: { 'name-case': 'info' } }, problems: [] });
});

test('a file that is missing has a problem and not a crash', () => {
  expect(loadPolicy(join(folder, 'nowhere.yaml')).problems[0]?.found).toBe('nothing (ENOENT)');
});

test('a wrong policy refuses the start, naming the place', () => {
  file('wrong.yaml', 'rules:\n  nonsense: off');
  const config = file(
    'keyward.yaml',
    'connections:\n  - { id: a, url: "redis://localhost", policy: ./wrong.yaml }',
  );
  expect(() => readConfiguration({ KEYWARD_CONFIG: config }, folder)).toThrow(
    /KEYWARD_CONFIG connections\[0\].policy .*wrong.yaml:2:3 rules: found the key "nonsense"/,
  );
});
