import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { APP_IDS } from '@/lib/apps';
import { catalogFor } from './apps-of';

const JWT =
  'eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoxMjMsImV4cCI6MTd9.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const PROJECT = '6762b5db032b200023854b2c';

const catalogs = [...APP_IDS.map((app) => [app]), ['discours' as const, 'hawk' as const]].map((apps) => [
  apps,
]);

it.each(APP_IDS)('%s is named in the README', (app) => {
  expect(readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')).toContain(`\`${app}\``);
});

describe.each(catalogs)('every example of %j', (apps) => {
  const registry = catalogFor(apps);
  const families = registry.families.filter(({ app }) => app !== 'console');
  it.each(families)('of $id is of that family', ({ id, examples = [] }) => {
    // A family without an example is not held against a key as the application writes it.
    expect(examples).not.toEqual([]);
    for (const key of examples)
      expect([key, registry.classify(Buffer.from(key)).family?.id]).toEqual([key, id]);
  });
});

const registry = catalogFor(['discours', 'hawk']);

/** Keys that begin as a family's do but do not fit it, and keys of no family. */
const misfits: readonly (readonly [key: string, malformedOf: string | null])[] = [
  ['session:abc:a.b.c', 'discours.session'],
  ['session:123:not-a-jwt', 'discours.session'],
  ['session:123:a.b.', 'discours.session'],
  ['session:123:a.b.c.d', 'discours.session'],
  ['session:', 'discours.session'],
  ['user_sessions:', 'discours.user-sessions'],
  ['user_sessions:12 ', 'discours.user-sessions'],
  ['oauth_access:123:myspace', 'discours.oauth-access'],
  ['verification:1:other:tok', 'discours.verification'],
  ['author:id:x', 'discours.author-id'],
  ['author:name:x', 'discours.author'],
  ['topic:slug:', 'discours.topic-slug'],
  ['topic_shouts_x', 'discours.topic-shouts'],
  ['shouts:limit', 'discours.shouts'],
  ['shouts::', 'discours.shouts'],
  ['migrated_views_x', 'discours.migrated-views'],
  [`ts:project-x:${PROJECT}:yearly`, 'hawk.ts-project'],
  ['sessions:1', null],
  ['Feed', null],
  ['feed ', null],
  ['', null],
  [':invalidated', null],
  ['2024-12-export', null],
  ['12-anna', null],
  ['12--abcdefghijklmnop', null],
  ['12-anna-x:abcdefghijklmnop', null],
];

describe('what fits no family', () => {
  it.each(misfits)('%j is malformed of %s', (key, malformedOf) => {
    const found = registry.classify(Buffer.from(key));
    expect(found.family).toBeNull();
    expect(found.family === null && (found.malformedOf?.id ?? null)).toBe(malformedOf);
  });

  it('takes only valid UTF-8 as text', () => {
    for (const bad of ['\xff', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80', 'a\xe2\x82']) {
      const found = registry.classify(
        Buffer.concat([Buffer.from('search_cache:'), Buffer.from(bad, 'latin1')]),
      );
      expect(found).toMatchObject({ family: null, malformedOf: { id: 'discours.search-cache' } });
    }
    expect(registry.classify(Buffer.from('search_cache:\ufeffя'))).toMatchObject({
      params: { query: '\ufeffя' },
    });
  });
});

it('splits a legacy session where its token begins', () => {
  expect(registry.classify(Buffer.from(`7-anna-maria-${JWT}`))).toMatchObject({
    params: { user_id: '7', username: 'anna-maria', token: JWT },
  });
});

/** Positions that are looked at, counted: neither many families nor hostile bytes may make it more than linear. */
const bytesRead = (key: Buffer): number => {
  let reads = 0;
  const counting = new Proxy(new Uint8Array(key), {
    get: (target, name) => {
      if (typeof name === 'string' && /^\d/u.test(name)) reads++;
      return Reflect.get(target, name, target);
    },
  });
  registry.locate(counting);
  return reads;
};

describe('hostile keys', () => {
  const fill = (unit: string, length: number) =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  const prefixes = ['', '1-', 'session:1:', 'search:', 'shouts:', 'shouts:a=', 'metrics:', '1-a-', 'lock:'];
  const units = [':', 'a', '{', '-', '.', '=', '0+', 'a.', ':invalidated', '\u00ff', 'eyJ.'];
  it.each(prefixes.flatMap((prefix) => units.map((unit) => [prefix, unit] as const)))(
    '%j and then %j…',
    (prefix, unit) => {
      const read = (length: number) => bytesRead(Buffer.from(prefix + fill(unit, length)));
      expect(read(2_000)).toBeLessThan(30 * 2_000);
      expect(read(8_000)).toBeLessThan(5 * read(2_000) + 1_000);
    },
  );

  it('takes 256 KiB without complaint', { tags: 'long' }, () => {
    for (const unit of units) {
      for (const prefix of prefixes) registry.classify(Buffer.from(prefix + fill(unit, 262_144)));
    }
  });
});
