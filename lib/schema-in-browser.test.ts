import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as inBrowser } from './schema-in-browser';

/** One declaration, as zod and as the browser's scripts read it. */
const both = (declare: (of: typeof z) => z.ZodType): z.ZodType[] => [
  declare(z),
  declare(inBrowser as unknown as typeof z),
];

const result = (of: typeof z) =>
  of
    .object({
      name: of.string().min(1).meta({ description: 'Named.' }),
      kind: of.enum(['a', 'b']),
      exact: of.literal(true),
      counts: of.array(of.object({ keys: of.number(), share: of.number().nullable() })),
      failed: of.number().default(0),
      note: of.string().nullish(),
      until: of.iso.datetime().optional(),
      rest: of.record(of.string(), of.unknown()).optional(),
    })
    .refine(() => true);

const VALID = { name: 'x', kind: 'a', exact: true, counts: [{ keys: 1, share: null }] };

describe('what the browser reads', () => {
  it.each([
    ['complete', VALID],
    [
      'with optional fields',
      { ...VALID, note: null, failed: 3, until: '2026-01-01T00:00:00Z', rest: { a: 1 } },
    ],
    ['with fields that are not declared', { ...VALID, other: 1 }],
    ['null', null],
    ['undefined', undefined],
    ['a text', 'x'],
    ['without a field', { ...VALID, name: undefined }],
    ['with another type', { ...VALID, name: 1 }],
    ['with an unknown word', { ...VALID, kind: 'c' }],
    ['with another literal', { ...VALID, exact: false }],
    ['with a list that is none', { ...VALID, counts: {} }],
    ['with an item without a field', { ...VALID, counts: [{ keys: 1 }] }],
    ['with null where it is not allowed', { ...VALID, failed: null }],
  ])('is read as by zod: %s', (_name, value) => {
    const [zod, small] = both(result).map((schema) => schema.safeParse(value));
    expect(small!.success).toBe(zod!.success);
    expect(small!.data).toEqual(zod!.data);
  });

  it('may be extended, and its fields be part of another', () => {
    for (const of of [z, inBrowser as unknown as typeof z]) {
      const first = of.object({ a: of.number() });
      expect(first.extend({ b: of.string() }).safeParse({ a: 1 }).success).toBe(false);
      expect(of.object({ ...first.shape, c: of.boolean() }).safeParse({ a: 1, c: true }).success).toBe(true);
    }
  });
});
