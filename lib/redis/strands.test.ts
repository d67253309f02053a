import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Ask, type Given, Strands, shareOfCursor } from './strands';

const reverse32 = (word: number): number => {
  let out = 0;
  for (let bit = 0; bit < 32; bit++) if ((word >>> bit) & 1) out |= 1 << (31 - bit);
  return out >>> 0;
};

const hashOf = (key: string): number => createHash('md5').update(key).digest().readUInt32LE();

/** A table that is scanned as Redis scans its own: buckets in the order of their reversed numbers. */
class Table {
  private buckets: string[][] = [];
  private bits = 0;
  private readonly hashed: [string, number][];

  constructor(keys: readonly string[], bits: number) {
    this.hashed = keys.map((key) => [key, hashOf(key)]);
    this.resize(bits);
  }

  resize(bits: number): void {
    this.bits = bits;
    this.buckets = Array.from({ length: 2 ** bits }, () => []);
    for (const [key, hash] of this.hashed) this.buckets[hash % this.buckets.length]!.push(key);
  }

  scan({ cursor, count }: Ask): Given<string> {
    const items: string[] = [];
    let at = Number(cursor);
    for (let steps = 10 * count; ; steps--) {
      items.push(...this.buckets[at % this.buckets.length]!);
      const following = Math.floor(reverse32(at) / 2 ** (32 - this.bits)) + 1;
      at = following === this.buckets.length ? 0 : reverse32(following * 2 ** (32 - this.bits));
      if (at === 0 || steps <= 1 || items.length >= count) return { next: String(at), items };
    }
  }
}

const KEYS: ReadonlySet<string> = new Set(Array.from({ length: 60_000 }, (_, i) => `key:${i}`));

interface Walked {
  found: string[];
  calls: number;
  strands: number;
  shares: number[];
}

const walk = (
  scan: (ask: Ask) => Given<string>,
  { lanes = 1, between }: { lanes?: 1 | 2; between?(call: number): void } = {},
): Walked => {
  const strands = new Strands<string>({ size: 60_000, perTurn: 1000, lanes }, (item) => item);
  const walked: Walked = { found: [], calls: 0, strands: 0, shares: [] };
  // Two turns are under way at a time, as over the wire: what the first gave is taken after the second was asked for.
  const waiting: (() => void)[] = [];
  while (!strands.done) {
    if (walked.calls > 1000) throw new Error('The walk does not end.');
    const turn = strands.turn(walked.calls % lanes);
    if (walked.calls < lanes) walked.strands += turn?.asks.length ?? 0;
    walked.calls += 1;
    if (turn) {
      const given = turn.asks.map(scan);
      waiting.push(() => {
        walked.found.push(...turn.take(given));
        walked.shares.push(strands.share);
      });
    }
    if (waiting.length >= lanes || !turn) waiting.shift()?.();
    between?.(walked.calls);
  }
  for (const take of waiting) take();
  return walked;
};

it.each([1, 2] as const)(
  'gives each key once, in sixteen strands, about as many calls as in one: lanes %i',
  (lanes) => {
    for (const bits of [16, 17, 18]) {
      const table = new Table([...KEYS], bits);
      const { found, calls, strands, shares } = walk((ask) => table.scan(ask), { lanes });
      expect(strands).toBe(16);
      expect(found).toHaveLength(60_000);
      expect(new Set(found)).toEqual(KEYS);
      expect(calls).toBeLessThan(90);
      expect(shares).toEqual([...shares].sort((a, b) => a - b));
      expect(shares[shares.length - 1]).toBe(1);
    }
  },
);

it.each([1, 2] as const)('gives every key while the table grows and shrinks: lanes %i', (lanes) => {
  const table = new Table([...KEYS], 16);
  const between = (call: number) => {
    if (call % 10 === 0) table.resize([16, 17, 18, 15][(call / 10) % 4]!);
  };
  const { found } = walk((ask) => table.scan(ask), { lanes, between });
  expect(new Set(found)).toEqual(KEYS);
});

it('is one strand where there is little to go through, or little is asked for at once', () => {
  const asks = (size: number, perTurn: number, lanes: 1 | 2 = 1, lane = 0) =>
    new Strands({ size, perTurn, lanes }, String).turn(lane)?.asks;
  expect(asks(49_999, 1000)).toEqual([{ cursor: '0', count: 1000 }]);
  expect(asks(1_000_000, 400)).toEqual([{ cursor: '0', count: 400 }]);
  expect(asks(1_000_000, 400, 2, 1)).toBeUndefined();
  const cursors = (lanes: 1 | 2, lane: number) =>
    asks(1_000_000, 1000, lanes, lane)!.map(({ cursor, count }) => `${cursor} ${count}`);
  const even = ['0', '4', '2', '6', '1', '5', '3', '7'];
  const odd = ['8', '12', '10', '14', '9', '13', '11', '15'];
  expect(cursors(1, 0)).toEqual(even.flatMap((one, i) => [`${one} 62`, `${odd[i]} 62`]));
  expect(cursors(2, 0)).toEqual(even.map((one) => `${one} 125`));
  expect(cursors(2, 1)).toEqual(odd.map((one) => `${one} 125`));
});

it.each([1, 2] as const)('begins again as one strand where cursors are something else: lanes %i', (lanes) => {
  const keys = [...KEYS];
  const inOrder = ({ cursor, count }: Ask): Given<string> => {
    const from = Number(cursor);
    const next = from + count >= keys.length ? '0' : String(from + count);
    return { next, items: keys.slice(from, from + count) };
  };
  // As Redis Cluster does since 7.4: the slot in the low bits.
  const slots = Array.from({ length: 64 }, (_, slot) => keys.filter((_key, i) => i % 64 === slot));
  const bySlot = ({ cursor, count }: Ask): Given<string> => {
    const [slot, from] = [Number(cursor) % 64, Math.floor(Number(cursor) / 64)];
    const items = slots[slot]!.slice(from, from + count);
    if (from + count < slots[slot]!.length) return { next: String((from + count) * 64 + slot), items };
    return { next: slot === 63 ? '0' : String(slot + 1), items };
  };
  for (const scan of [inOrder, bySlot]) {
    const { found, strands } = walk(scan, { lanes });
    expect(strands).toBe(16);
    expect(new Set(found)).toEqual(KEYS);
  }
});

it('ends on a table that was emptied meanwhile', () => {
  let table = new Table([...KEYS], 16);
  const between = () => {
    table = new Table([], 2);
  };
  expect(walk((ask) => table.scan(ask), { between }).calls).toBeLessThan(5);
  table = new Table([...KEYS], 16);
  expect(walk((ask) => table.scan(ask), { between, lanes: 2 }).calls).toBeLessThan(8);
});

it('reads the share off a cursor of any size', () => {
  expect(shareOfCursor('0')).toBe(0);
  expect(shareOfCursor('1')).toBe(0.5);
  expect(shareOfCursor('3')).toBe(0.75);
  expect(shareOfCursor(String(2n ** 32n))).toBe(2 ** -33);
  expect(shareOfCursor('18446744073709551615')).toBe(1);
});
