import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConventionsReport, RuleReport } from '@/lib/conventions/schema';
import { junitOf } from './conventions-junit';
import { whyNothingSeen } from './conventions-levels';
import { sarifOf } from './conventions-sarif';
import { textOf } from './conventions-text';
import { seed } from './demo-traffic/seed';
import { startRedis } from './redis-server.mjs';
import { runScript } from './testing/run-script';

const folder = mkdtempSync(join(tmpdir(), 'keyward-conventions-'));
let server: Awaited<ReturnType<typeof startRedis>>;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => runScript('conventions.mjs', args, { INIT_CWD: folder });

const HOSTILE = `a:"'<&>]]>\u0000\u001b\ud800\n:b`;

const rule = (change: Partial<RuleReport>): RuleReport => ({
  id: 'ttl-required',
  title: 'Keys expire',
  why: 'w',
  how: 'h',
  remedy: 'Set a TTL.',
  severity: 'error',
  checklist: 'ttl',
  state: 'failed',
  count: 3,
  of: 10,
  waived: 0,
  newSinceYesterday: null,
  reason: null,
  families: [{ family: null, count: change.count ?? 3, severity: change.severity ?? 'error', waived: false }],
  sample: [{ key: HOSTILE, keyId: null, family: null, detail: 'it never expires' }],
  fixable: true,
  ...change,
});

const report: ConventionsReport = {
  at: '2026-01-01T00:00:00.000Z',
  score: 70,
  keys: 10,
  complete: true,
  waivers: [],
  walk: null,
  rules: [
    rule({}),
    rule({ id: 'name-case', severity: 'info', count: 1 }),
    rule({ id: 'maxmemory', state: 'unknown', count: null, reason: 'CONFIG is refused', sample: [] }),
    rule({ id: 'name-length', state: 'passed', count: 0, sample: [] }),
  ],
  checklist: [{ id: 'ttl', title: 'TTLs', state: 'failed', count: 3, reason: null, rules: ['ttl-required'] }],
  policy: { file: null, loadedAt: null, problems: [] },
};

it('writes XML that stays well-formed whatever a key is called', () => {
  const xml = junitOf(report, 'error');
  expect(xml).toContain('tests="4" failures="1" errors="0" skipped="1"');
  expect(xml).toContain('<failure type="error" message="Keys expire: 3 of 10 keys">');
  expect(xml).toContain('a:&quot;&apos;&lt;&amp;&gt;]]&gt;\ufffd\ufffd\ufffd\n:b');
  expect(xml).toContain('<skipped message="unknown: CONFIG is refused"/>');
  expect(xml).toContain('<system-out>info:');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot contain them.
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Surrogate}/u);
  expect(xml.replace(/&(?:amp|lt|gt|quot|apos|#\d+);/g, '')).not.toContain('&');
  const tags = [...xml.matchAll(/<(\/?)([a-z-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/g)];
  const open: string[] = [];
  for (const [, close, name, , empty] of tags)
    if (close) expect(open.pop()).toBe(name);
    else if (!empty) open.push(name!);
  expect(open).toEqual([]);
  expect(tags).toHaveLength(xml.match(/<(?!\?)/g)!.length);
});

it('writes SARIF with a result for each sample, and one for the keys beyond it', () => {
  const log = JSON.parse(sarifOf(report));
  expect(log).toMatchObject({ version: '2.1.0', $schema: expect.stringContaining('sarif-2.1.0') });
  const [{ tool, results, invocations }] = log.runs;
  expect(tool.driver.rules.map(({ id }: RuleReport) => id)).toEqual(report.rules.map(({ id }) => id));
  expect(results.map(({ level }: { level: string }) => level)).toEqual(['error', 'error', 'note']);
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
  expect(results[0].locations[0].logicalLocations[0]).toMatchObject({ name: HOSTILE, kind: 'resource' });
  expect(results[1]).toMatchObject({ message: { text: 'Keys expire: 2 more' }, occurrenceCount: 2 });
  expect(invocations[0].toolExecutionNotifications[0].associatedRule.id).toBe('maxmemory');
});

it('says in text what failed, what could not be seen, and the checklist', () => {
  const text = textOf(report);
  expect(text).toContain('error   ttl-required: 3 of 10 keys. Keys expire');
  expect(text).toContain('… and 2 more');
  expect(text).toContain('unknown maxmemory: CONFIG is refused');
  expect(text).toContain('[ ] TTLs: 3 violations');
  expect(text).toMatch(/1 error, 0 warnings, 1 info in 10 keys; score 70; the document as it is\n$/);
});

it('warns of waivers past their date and of what the policy names in vain, in each format', () => {
  const ended = { id: 'w', family: null, who: 'toni', why: 'y', until: '2026-01-31T23:59:59.999Z' };
  const problem = {
    line: 3,
    column: 5,
    path: 'families',
    message: 'found "a.b", expected the id of a family',
  };
  const warned: ConventionsReport = {
    ...report,
    waivers: [{ ...ended, rule: 'name-case', source: 'policy', expired: true }],
    policy: { file: 'policy.yaml', loadedAt: null, problems: [problem] },
  };
  const [{ invocations, tool }] = JSON.parse(sarifOf(warned)).runs;
  const texts = invocations[0].toolExecutionNotifications.map(
    ({ message }: { message: { text: string } }) => message,
  );
  expect(texts.slice(1)).toEqual([
    { text: 'the waiver of name-case by toni ended on 2026-01-31' },
    { text: 'policy.yaml:3:5 families: found "a.b", expected the id of a family' },
  ]);
  const ids = tool.driver.notifications.map(({ id }: { id: string }) => id);
  for (const { descriptor } of invocations[0].toolExecutionNotifications)
    expect(ids).toContain(descriptor.id);
  expect(junitOf(warned, 'error')).toContain(
    '<system-err>the waiver of name-case by toni ended on 2026-01-31\npolicy.yaml:3:5 families: found &quot;a.b&quot;',
  );
  expect(textOf(warned)).toContain(
    'Warning: the waiver of name-case by toni ended on 2026-01-31\nWarning: policy',
  );
});

it('cannot check keys of which it may read none, and can where it may read some', () => {
  const secrets = rule({
    id: 'secrets-in-clear',
    state: 'unknown',
    of: 0,
    reason: '9 keys could not be checked.',
  });
  expect(whyNothingSeen({ ...report, rules: [secrets] })).toBe('9 keys could not be checked.');
  expect(whyNothingSeen({ ...report, rules: [{ ...secrets, of: 1 }] })).toBeNull();
  expect(whyNothingSeen({ ...report, keys: 0, rules: [secrets] })).toBeNull();
  expect(whyNothingSeen(report)).toBeNull();
});

it('gives each result in SARIF the severity of its family', () => {
  const sample = [{ key: 'new:1', keyId: null, family: 'shop.new', detail: 'it never expires' }];
  const families = [
    { family: 'shop.new', count: 2, severity: 'info', waived: false } as const,
    { family: null, count: 3, severity: 'error', waived: false } as const,
  ];
  const { results } = JSON.parse(sarifOf({ ...report, rules: [rule({ count: 5, families, sample })] }))
    .runs[0];
  const levels = results.map(({ level, occurrenceCount }: { level: string; occurrenceCount?: number }) => [
    level,
    occurrenceCount,
  ]);
  expect(levels).toEqual([
    ['note', undefined],
    ['note', 1],
    ['error', 3],
  ]);
});

it('names no key of a family whose violations are waived', () => {
  const sample = [
    { key: 'old:1', keyId: null, family: 'shop.old', detail: 'it never expires' },
    { key: 'new:1', keyId: null, family: 'shop.new', detail: 'it never expires' },
  ];
  const families = [
    { family: 'shop.old', count: 1, severity: 'error', waived: true } as const,
    { family: 'shop.new', count: 2, severity: 'info', waived: false } as const,
  ];
  const waived = { ...report, rules: [rule({ count: 2, waived: 1, families, sample })] };
  for (const text of [textOf(waived), junitOf(waived, 'error'), sarifOf(waived)]) {
    expect(text).not.toContain('old:1');
    expect(text).toContain('new:1');
    expect(text).toMatch(/1 more/);
  }
});

it('fails for violations, passes once they are gone, and says when it cannot check', {
  tags: 'long',
  timeout: 60_000,
}, async () => {
  await redis.set('cache:user:1', '{}');
  await redis.set('topic:id:1', '{}', 'EX', 5000);
  const secret = 'session:token:Zq7pXv2mLr9tKw1Zq7pXv2mLr9tKw1';
  await redis.set(secret, 'x', 'EX', 90_000);
  writeFileSync(
    join(folder, 'policy.yaml'),
    'rules:\n  maxmemory: off\n  eviction-policy: off\n  persistence: off\nfamilies:\n  shop.cart: { ttl: required }\n',
  );
  const options = ['--url', server.url, '--apps', '', '--policy', 'policy.yaml'];
  const failed = await run(...options);
  expect(failed).toMatchObject({ status: 1, err: '' });
  expect(failed.out).toContain('ttl-required: 1 of 3 keys');
  expect(failed.out).not.toContain('discours');
  expect(failed.out).toContain('Warning: policy.yaml:6:3 families.shop.cart: found "shop.cart"');
  expect(failed.out).not.toContain('Zq7pXv2mLr9tKw1Zq7pXv2mLr9tKw1');
  const out = await run(...options, '--format', 'sarif', '--out', 'report.sarif', '--fail-on', 'none');
  expect(out).toMatchObject({ status: 0, out: '', err: '' });
  const results = JSON.parse(readFileSync(join(folder, 'report.sarif'), 'utf8')).runs[0].results;
  expect(results).toContainEqual(expect.objectContaining({ ruleId: 'ttl-required', level: 'error' }));
  await redis.del(secret);
  await redis.expire('cache:user:1', 5000);
  expect(await run(...options)).toMatchObject({ status: 0, err: '' });

  writeFileSync(join(folder, 'bad.yaml'), 'rules:\n  no-such-rule: off\n');
  const [bad, gone, level, wrong, misplaced] = await Promise.all([
    run('--url', server.url, '--policy', 'bad.yaml'),
    run('--url', 'redis://:hidden-word@127.0.0.1:1', '--apps', ''),
    run('--url', server.url, '--fail-on', 'some'),
    run('--url', server.url, '--wrong'),
    run('redis://:hidden-word#@127.0.0.1:1/hidden-word'),
  ]);
  for (const result of [bad, gone, level, wrong, misplaced])
    expect(result).toMatchObject({ status: 2, out: '' });
  expect(bad.err).toMatch(/^bad\.yaml:2:3/);
  for (const { err } of [gone, misplaced]) expect(err).not.toContain('hidden-word');
  expect(gone.err).not.toContain('    at ');
  expect(level.err).toContain('--fail-on: found "some"');
  // Eight processes.
});

it('checks the demo, whose keys take several steps of a walk, without any of the console’s secrets', {
  tags: 'long',
  timeout: 60_000,
}, async () => {
  await redis.flushdb();
  await seed(redis, { seed: 1, now: Date.now });
  const { status, out, err } = await run('--url', server.url, '--format', 'json');
  expect([status, err]).toEqual([1, '']);
  expect(JSON.parse(out)).toMatchObject({ complete: true, keys: await redis.dbsize() });
});
