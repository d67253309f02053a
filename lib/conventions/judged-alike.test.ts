import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReadContext } from '@/lib/command/context';
import { getDiagnostics } from '@/lib/diagnostics/reads';
import { getServer } from '@/lib/server/server';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { policyFile } from './policy/definition';
import { policyFor } from './policy/policy';
import { checkServers } from './server-rules';
import { readServerStates } from './server-state';

let lasting: TestContext;
let cache: TestContext;
beforeAll(async () => {
  lasting = await testContext({ apps: ['discours'] });
  cache = await testContext({ apps: ['qianxun'] });
});
afterAll(() => Promise.all([lasting.close(), cache.close()]));

const checked = async ({ catalog, connection, now }: ReadContext) => {
  const policy = policyFor(catalog, policyFile.parse({}));
  const states = await readServerStates(connection);
  return checkServers(states, { policy, catalog, forbidden: {}, now: now() });
};

/** What two pages say of the persistence of the same server. */
const judgements = async (ctx: ReadContext) => {
  forget('server');
  const { sections } = await getServer(ctx, {});
  const rule = (await checked(ctx)).get('persistence')!;
  const isViolated = rule.violations.length > 0;
  return {
    server: sections.persistence.state,
    findings: sections.persistence.findings,
    conventions: isViolated ? 'attention' : rule.reason === null ? 'ok' : 'unknown',
  };
};

it.each([
  ['no', '', 'attention', ['notSaved']],
  ['no', '3600 1 300 100', 'ok', []],
  ['yes', '', 'ok', []],
])(
  'is judged alike by Server and Conventions: appendonly %s, save %j',
  async (aof, save, state, findings) => {
    for (const test of [lasting, cache]) {
      await test.redis.config('SET', 'appendonly', aof);
      await test.redis.config('SET', 'save', save);
      await expect
        .poll(() => test.redis.info('persistence'))
        .toMatch(/aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0/);
    }
    expect(await judgements(lasting.ctx)).toEqual({ server: state, findings, conventions: state });
    // Nothing of this catalog has to stay.
    expect(await judgements(cache.ctx)).toEqual({ server: 'ok', findings: [], conventions: 'ok' });
  },
);

it.each([
  ['0', 'noeviction', 'noLimit', 'noLimit'],
  ['1gb', 'noeviction', 'refusesWrites', 'refusesWrites'],
  ['1gb', 'allkeys-lru', 'evictsLasting', undefined],
  ['1gb', 'volatile-lru', undefined, undefined],
])(
  'is judged alike by Server, Diagnostics and Conventions: maxmemory %s, %s',
  { tags: 'long' },
  async (limit, eviction, ofLasting, ofCache) => {
    for (const { redis, ctx } of [lasting, cache]) {
      await redis.config('SET', 'maxmemory', limit);
      await redis.config('SET', 'maxmemory-policy', eviction);
      forget('server');
      forget('diagnostics', 'hot-keys', 'command-tables');
      const fault = ctx === lasting.ctx ? ofLasting : ofCache;
      const expected = fault ? [fault] : [];
      const { settings } = (await getServer(ctx, {})).sections;
      const { memory } = (await getDiagnostics(ctx)).sections;
      const rules = await checked(ctx);
      const isFailed = (id: 'maxmemory' | 'eviction-policy') => rules.get(id)!.violations.length > 0;
      expect(settings.findings).toEqual(['latencyMonitorOff', ...expected]);
      expect(memory.findings).toEqual(expected);
      expect([isFailed('maxmemory'), isFailed('eviction-policy')]).toEqual([
        fault === 'noLimit',
        fault !== undefined && fault !== 'noLimit',
      ]);
    }
  },
);

it('is known to neither where the setting decides and our user may not read it', {
  tags: ['long'],
}, async () => {
  const rules = 'limited on >pass ~* &* +@all -config';
  const limited = await testContext({
    apps: ['discours'],
    user: 'limited:pass',
    redisArgs: ['--user', ...rules.split(' ')],
  });
  expect(await judgements(limited.ctx).finally(() => limited.close())).toEqual({
    server: 'unknown',
    findings: [],
    conventions: 'unknown',
  });
});
