import 'server-only';
import { randomInt } from 'node:crypto';

/** Elements remembered, in two halves: the older half is dropped when the newer one is full. */
const MAX_REMEMBERED = 100_000;

/** Secret, so that nobody can choose two names with the same digest. */
const SEEDS: readonly [number, number] = [randomInt(2 ** 32), randomInt(2 ** 32)];

/** Mixes all bits, like the final step of MurmurHash3. */
const mixed = (hash: number): number => {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
};

/** A digest of 64 bits as two halves. Differs between processes, unless seeds are given. */
export const digestPair = (element: Buffer, seeds = SEEDS): [number, number] => {
  let [a, b] = seeds;
  for (let i = 0; i < element.length; i++) {
    const byte = element[i]!;
    a = Math.imul(a ^ byte, 0x01000193);
    a ^= a >>> 15;
    b = Math.imul(b + byte, 0x9e3779b1);
    b ^= b >>> 13;
  }
  return [mixed(a), mixed(b)];
};

/** The digest as four characters: a short key of a Set, however long the element is. */
const digestOf = (element: Buffer): string => {
  const [a, b] = digestPair(element);
  return String.fromCharCode(a >>> 16, a & 0xffff, b >>> 16, b & 0xffff);
};

/**
 * Returns a predicate that is true for the first occurrence of an element. SCAN, SSCAN and HSCAN repeat elements when
 * a table is resized; repeats come shortly after the first occurrence, so remembering the latest elements is enough.
 * Two of a billion elements collide in one of a hundred thousand scans.
 */
export const distinct = (max = MAX_REMEMBERED): ((element: Buffer) => boolean) => {
  let newer = new Set<string>();
  let older = new Set<string>();
  return (element) => {
    const digest = digestOf(element);
    if (newer.has(digest) || older.has(digest)) return false;
    newer.add(digest);
    if (newer.size >= max / 2) [newer, older] = [new Set(), newer];
    return true;
  };
};
