import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APP_IDS } from '@/lib/apps';
import { catalogFor } from './apps-of';
import type { Family } from './family';
import type { Grammar } from './grammar';

const BASE64URL = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
const ASCII_WORD = BASE64URL.filter((char) => char !== '-');

const run = (units: readonly string[], min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...units), minLength: min, maxLength: Math.min(max, min + 40) });
const jwt = fc
  .tuple(run(BASE64URL, 1, 40), run(BASE64URL, 1, 90), run(BASE64URL, 1, 43))
  .map((parts) => parts.join('.'));

/** Full Unicode, with the separators of this grammar's neighbours more often than chance would have them. */
const text = (except: string) =>
  fc
    .string({
      unit: fc.oneof(
        { weight: 6, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
        { weight: 2, arbitrary: fc.constantFrom(...':-=+/_.{}*?[]\\ 0aя') },
      ),
      minLength: 1,
      maxLength: 30,
    })
    .map((value) =>
      Array.from(value)
        .filter((char) => !except.includes(char))
        .join(''),
    )
    .filter((value) => value !== '' && !/[\ud800-\udfff]/u.test(value));

const arbitraryOf = (grammar: Grammar): fc.Arbitrary<string> => {
  const { shape, min, max } = grammar;
  switch (shape.kind) {
    case 'words':
      return fc.constantFrom(...shape.words);
    case 'jwt':
      return jwt;
    case 'uuid':
      return fc.uuid();
    case 'legacy-token':
      return fc.oneof(
        run(ASCII_WORD, 16, 64),
        fc
          .tuple(run(ASCII_WORD, 12, 40), jwt)
          .map(([head, rest]) => `eyJ${head}.${rest.slice(rest.indexOf('.') + 1)}`),
      );
    case 'pairs':
      return fc
        .array(
          fc.tuple(
            run([...ASCII_WORD, '.'], 1, 10),
            text(
              ':\0\x01\x02\x03\x04\x05\x06\x07\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f',
            ),
          ),
          { minLength: 1, maxLength: 4 },
        )
        .map((all) => all.map(([name, value]) => `${name}=${value}`).join(':'));
    case 'chars':
      return run([...shape.chars], min, max);
    case 'text':
      return text(shape.except).filter(
        (value) => Buffer.byteLength(value) >= min && Buffer.byteLength(value) <= max,
      );
  }
};

const paramsOf = (family: Family): fc.Arbitrary<Record<string, string>> =>
  fc.record(
    Object.fromEntries(Object.entries(family.params).map(([name, grammar]) => [name, arbitraryOf(grammar)])),
    { noNullPrototype: true },
  );

const catalogs = [...APP_IDS.map((app) => [app]), [...APP_IDS]];

describe.each(catalogs)('catalog of %s %s', (...apps) => {
  const registry = catalogFor(apps);
  const winners = new Set(
    registry.overlaps.flatMap(({ families, winner }) => families.map((id) => `${id}>${winner}`)),
  );

  it.each(registry.families.map((family) => [family.id, family] as const))(
    '%s: a key reads back',
    (id, family) => {
      fc.assert(
        fc.property(paramsOf(family), (params) => {
          const key = family.key(params);
          expect(family.parse(key)).toEqual(params);
          const found = registry.classify(key);
          if (found.family === family) expect(found.params).toEqual(params);
          // Only a family that the load reported as the winner may take the key.
          else expect(winners).toContain(`${id}>${found.family?.id}`);
        }),
        { numRuns: 60 },
      );
    },
  );

  it('reports overlaps with a key that really is both', () => {
    for (const { families, example, winner } of registry.overlaps) {
      const key = Buffer.from(example);
      for (const id of families) expect(registry.mustGet(id).parse(key), `${id} ${example}`).not.toBeNull();
      expect(registry.classify(key).family?.id).toBe(winner);
    }
  });

  it('never throws, whatever the bytes', () => {
    const prefixes = registry.families.map((family) => Buffer.from(family.compiled.literals[0]!));
    const bytes = fc
      .tuple(fc.constantFrom(Buffer.alloc(0), ...prefixes), fc.uint8Array({ maxLength: 80 }))
      .map(([prefix, rest]) => Buffer.concat([prefix, rest]));
    fc.assert(
      fc.property(bytes, (key) => {
        const found = registry.classify(key);
        const plain = registry.classify(new Uint8Array(key));
        expect(plain).toEqual(found);
        if (found.family !== null) expect(found.family.key(found.params).equals(key)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

it('takes hawk key names from configuration, braces included', () => {
  const names = {
    disabledProjects: '{hawk}:off',
    blacklistIps: 'b',
    allIps: 'session:1',
    currentPeriod: 'p',
  };
  const registry = catalogFor(['discours', 'hawk'], names);
  expect(registry.classify(Buffer.from('{hawk}:off')).family?.id).toBe('hawk.disabled-projects');
  expect(registry.classify(Buffer.from('DisabledProjectsSet')).family).toBeNull();
  expect(registry.classify(Buffer.from('session:1')).family?.id).toBe('hawk.all-ips');
  expect(catalogFor(['hawk', 'discours'], { ...names })).toBe(registry);
  expect(() => catalogFor(['hawk'], { ...names, allIps: '' })).toThrow(/hawk\.all-ips.*empty/u);
});

it('always includes the console and common prefixes, and nothing of apps that are not listed', () => {
  const registry = catalogFor([]);
  expect(registry.get('console.user')?.key({ id: 'a1' }).toString()).toBe('keyward:user:a1');
  expect(new Set(registry.families.map(({ app }) => app))).toEqual(new Set(['console', 'common']));
  expect(catalogFor(['discours']).get('common.lock')).toBeUndefined();
  expect(() => registry.mustGet('discours.session')).toThrow('There is no family discours.session');
});
