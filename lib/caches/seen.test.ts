import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Seen } from './seen';

const bytes = (text: string) => Buffer.from(text);
const most = { keys: 100_000, bytes: 1 << 24 };

describe('keys seen before', () => {
  it('are told from new ones as a set of strings tells them', () => {
    const [seen, known] = [new Seen(), new Set<string>()];
    // Half of them of a byte or two, so that many come twice.
    const keys = Array.from({ length: 60_000 }, (_, i) => randomBytes(i % 2 ? 1 + (i % 3) : i % 90));
    const told = keys.map((key) => seen.isNew(key));
    const right = keys.map((key) => known.size < known.add(key.toString('latin1')).size);
    expect(told).toEqual(right);
    expect(known.size).toBeGreaterThan(30_000);
    expect(keys.some((key) => seen.isNew(key))).toBe(false);
  });

  it.each([
    ['all', () => 7],
    ['all, in the last slot', () => 0xffff_ffff],
    ['by their first byte', (key: Buffer) => key[0]!],
  ])('are not mixed up where hashes collide: %s', (_, hashOf) => {
    const seen = new Seen(hashOf, most);
    const keys = Array.from({ length: 3000 }, (_, i) => bytes(`${i}:${'x'.repeat(i % 40)}`));
    expect(keys.every((key) => seen.isNew(key))).toBe(true);
    expect(keys.some((key) => seen.isNew(key))).toBe(false);
    // As long as one that was seen, the beginning of one, and one that goes on.
    for (const other of ['3000:', '12:', '1:xx']) expect(seen.isNew(bytes(other))).toBe(true);
  });

  it('may be empty, or longer than all before', () => {
    const seen = new Seen();
    const long = Buffer.alloc(1 << 20, 'k');
    for (const key of [Buffer.alloc(0), long, long.subarray(1)]) {
      expect(seen.isNew(key)).toBe(true);
      expect(seen.isNew(key)).toBe(false);
    }
  });

  it('are copied: what a key lay in may change afterwards', () => {
    const [seen, reply] = [new Seen(), bytes('first')];
    expect(seen.isNew(reply)).toBe(true);
    reply.write('other');
    expect(seen.isNew(reply)).toBe(true);
    expect(seen.isNew(bytes('first'))).toBe(false);
  });

  it.each([
    ['as many', { keys: 2, bytes: 1000 }],
    ['as many bytes', { keys: 1000, bytes: 3 }],
  ])('are remembered up to %s as there may be', (_, bound) => {
    const seen = new Seen(undefined, bound);
    expect(['a', 'bc', 'def', 'def', 'a', 'bc'].map((key) => seen.isNew(bytes(key)))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
