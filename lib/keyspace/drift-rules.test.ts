import { describe, expect, it } from 'vitest';
import { catalogFor } from './apps-of';
import { documentedFields, documentedType, isDocumentedType, storedType, ttlFault } from './drift-rules';

describe('a TTL', () => {
  const fixed = { seconds: 100 };
  const range = { minSeconds: 10, maxSeconds: 100 };
  it('differs from the documented one where it is longer, missing, or there without being expected', () => {
    expect([fixed, range].map((policy) => ttlFault(policy, null))).toEqual(['missing', 'missing']);
    expect([fixed, range].map((policy) => ttlFault(policy, 102_000))).toEqual(['longer', 'longer']);
    expect((['persistent', 'none'] as const).map((policy) => ttlFault(policy, 5000))).toEqual([
      'unexpected',
      'unexpected',
    ]);
  });
  it('fits while it runs down, and a little above by the difference of clocks', () => {
    for (const ms of [1, 50_000, 100_500])
      expect([ttlFault(fixed, ms), ttlFault(range, ms)]).toEqual([null, null]);
    expect([ttlFault('any', 5000), ttlFault('any', null), ttlFault('none', null)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('types and fields', () => {
  const registry = catalogFor(['discours', 'minidouyin', 'qianxun', 'hawk']);
  it('are those of the catalog, by its names', () => {
    const own = registry.mustGet('qianxun.activity-own');
    expect(documentedType(own)).toBe('zset or list');
    expect(['zset', 'list', 'set'].map((type) => isDocumentedType(own, type))).toEqual([true, true, false]);
    expect(isDocumentedType(registry.mustGet('hawk.ts-project'), storedType('TSDB-TYPE'))).toBe(true);
  });
  it('are required where the catalog documents them, or the role cannot do without', () => {
    const fields = (id: string) =>
      documentedFields(registry.mustGet(id)).map(({ names: [name], optional }) => [name, optional]);
    expect(fields('minidouyin.user')).toEqual([
      ['Username', false],
      ['Passwd', false],
      ['ID', false],
    ]);
    expect(fields('minidouyin.comment').map(([name]) => name)).toEqual(['ID', 'VideoId', 'UserId']);
    expect(fields('discours.session')).toContainEqual(['last_activity', true]);
    expect(fields('qianxun.onlines')).toEqual([]);
  });
});
