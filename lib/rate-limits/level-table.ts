import 'server-only';

/** An ObjectId as three 32-bit numbers. */
export type ObjectId = readonly [number, number, number];

/** The value of a hexadecimal digit by its code; lower case only, as MongoDB prints ids and the collector compares them. */
const DIGITS = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) DIGITS[digit.charCodeAt(0)] = value;

const WORD = 8;

/** Eight digits as a number; -1 where one is none. */
const wordAt = (bytes: Uint8Array, from: number): number => {
  let [word, bad] = [0, 0];
  for (let at = from; at < from + WORD; at++) {
    const digit = DIGITS[bytes[at]!]!;
    bad |= digit;
    word = (word << 4) | digit;
  }
  return bad < 0 ? -1 : word >>> 0;
};

/** The id that the 24 bytes from `from` spell; null where they are none. */
export const objectIdAt = (bytes: Uint8Array, from: number): ObjectId | null => {
  const [a, b, c] = [wordAt(bytes, from), wordAt(bytes, from + WORD), wordAt(bytes, from + 2 * WORD)];
  return a === -1 || b === -1 || c === -1 ? null : [a, b, c];
};

export const ID_LENGTH = 3 * WORD;

export const objectId = (hex: string): ObjectId | null =>
  hex.length === ID_LENGTH ? objectIdAt(Buffer.from(hex, 'latin1'), 0) : null;

const NONE = -1;

const grown = <T extends Uint32Array | Int32Array | Float64Array>(array: T, length: number): T => {
  const next = new (array.constructor as new (length: number) => T)(length);
  next.set(array);
  return next;
};

/** Limits of one level by id, some 50 bytes each: a million projects are no million objects. */
export class LevelTable {
  size = 0;
  private ids = new Uint32Array(3 * 64);
  private parents = new Uint32Array(3 * 64);
  private limits = new Float64Array(64);
  private periods = new Float64Array(64);
  /** Open addressing: rows by the hash of their id; at most half of it is used. */
  private slots = new Int32Array(128).fill(NONE);

  /** A second row of an id replaces the first. NaN: not set. The zero id: no parent. */
  set(id: ObjectId, parent: ObjectId, limit: number, period: number): void {
    if (this.size === this.limits.length) this.grow();
    const slot = this.slotOf(...id);
    let row = this.slots[slot]!;
    if (row === NONE) {
      row = this.size;
      this.size += 1;
      this.slots[slot] = row;
      this.ids.set(id, 3 * row);
    }
    this.parents.set(parent, 3 * row);
    this.limits[row] = limit;
    this.periods[row] = period;
  }

  /** The row of an id; -1 where there is none. */
  find(id: ObjectId): number {
    return this.slots[this.slotOf(id[0], id[1], id[2])]!;
  }

  /** The row that a row of the level below names; -1 where there is none. */
  parentOf(below: LevelTable, row: number): number {
    const at = 3 * row;
    return this.slots[this.slotOf(below.parents[at]!, below.parents[at + 1]!, below.parents[at + 2]!)]!;
  }

  limit(row: number): number {
    return this.limits[row]!;
  }

  period(row: number): number {
    return this.periods[row]!;
  }

  private slotOf(a: number, b: number, c: number): number {
    const mask = this.slots.length - 1;
    let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
    hash ^= hash >>> 15;
    let slot = hash & mask;
    for (;;) {
      const row = this.slots[slot]!;
      if (row === NONE) return slot;
      const at = 3 * row;
      if (this.ids[at] === a && this.ids[at + 1] === b && this.ids[at + 2] === c) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private grow(): void {
    const room = 2 * this.limits.length;
    this.ids = grown(this.ids, 3 * room);
    this.parents = grown(this.parents, 3 * room);
    this.limits = grown(this.limits, room);
    this.periods = grown(this.periods, room);
    this.slots = new Int32Array(2 * room).fill(NONE);
    for (let row = 0; row < this.size; row++) {
      const at = 3 * row;
      this.slots[this.slotOf(this.ids[at]!, this.ids[at + 1]!, this.ids[at + 2]!)] = row;
    }
  }
}
