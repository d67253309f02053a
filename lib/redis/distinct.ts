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

/** A digest of 64 bits as two halves; the second is never 0. Differs between processes, unless seeds are given. */
export const digestPair = (element: Buffer, seeds = SEEDS): [number, number] => {
  let [a, b] = seeds;
  for (let i = 0; i < element.length; i++) {
    const byte = element[i]!;
    a = Math.imul(a ^ byte, 0x01000193);
    a ^= a >>> 15;
    b = Math.imul(b + byte, 0x9e3779b1);
    b ^= b >>> 13;
  }
  return [mixed(a), mixed(b) || 1];
};

/** A set of 64-bit digests, as pairs in an open hash table: texts in a Set take three times the memory. */
class Digests {
  size = 0;
  private pairs = new Uint32Array(2048);

  /** Where the pair is, or where it belongs. */
  private placeOf(a: number, b: number): number {
    const { pairs } = this;
    let at = (a * 2) & (pairs.length - 1);
    while ((pairs[at] !== 0 || pairs[at + 1] !== 0) && (pairs[at] !== a || pairs[at + 1] !== b))
      at = (at + 2) & (pairs.length - 1);
    return at;
  }

  has(a: number, b: number): boolean {
    return this.pairs[this.placeOf(a, b) + 1] !== 0;
  }

  /** `b` is never 0, which marks a free place. */
  add(a: number, b: number): void {
    if (this.size * 4 >= this.pairs.length) this.grow();
    const at = this.placeOf(a, b);
    this.pairs[at] = a;
    this.pairs[at + 1] = b;
    this.size += 1;
  }

  private grow(): void {
    const before = this.pairs;
    this.pairs = new Uint32Array(before.length * 4);
    for (let i = 0; i < before.length; i += 2) {
      if (before[i + 1] === 0) continue;
      const at = this.placeOf(before[i]!, before[i + 1]!);
      this.pairs[at] = before[i]!;
      this.pairs[at + 1] = before[i + 1]!;
    }
  }
}

/**
 * Returns a predicate that is true for the first occurrence of an element. SCAN, SSCAN and HSCAN repeat elements when
 * a table is resized; repeats come shortly after the first occurrence, so remembering the latest elements is enough.
 * Two of a billion elements collide in one of a hundred thousand scans.
 */
export const distinct = (max = MAX_REMEMBERED): ((element: Buffer) => boolean) => {
  let newer = new Digests();
  let older = new Digests();
  return (element) => {
    const [first, second] = digestPair(element);
    if (newer.has(first, second) || older.has(first, second)) return false;
    newer.add(first, second);
    if (newer.size >= max / 2) [newer, older] = [new Digests(), newer];
    return true;
  };
};
