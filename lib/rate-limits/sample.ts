import 'server-only';
import { ID_LENGTH, type ObjectId, objectIdAt } from './level-table';
import { readWindow, type Window } from './window';

const EMPTY = -1;

const fnv = (bytes: Uint8Array): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  // Mixed once more: the ids of one day differ in their last digits only.
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x7feb352d);
  return (hash ^ (hash >>> 15)) >>> 0;
};

const doubled = <T extends Uint32Array | Int32Array | Float64Array>(array: T): T => {
  const next = new (array.constructor as new (length: number) => T)(2 * array.length);
  next.set(array);
  return next;
};

/**
 * The fields of `rate_limits` as one pass found them, some 60 bytes each: a million windows are no million objects. A
 * field that a pass meets twice, as HSCAN may, is one row with what was found last.
 */
export class Sample {
  size = 0;
  private bytes = Buffer.alloc(4096);
  private ends = new Uint32Array(64);
  private startTimes = new Float64Array(64);
  private eventCounts = new Float64Array(64);
  private fieldHashes = new Uint32Array(64);
  /** Open addressing: rows by the hash of their field; at most half of it is used. */
  private slots = new Int32Array(128).fill(EMPTY);

  add(field: Buffer, value: Buffer): void {
    if (this.size === this.startTimes.length) this.grow();
    const hash = fnv(field);
    const slot = this.slotOf(field, hash);
    let row = this.slots[slot]!;
    if (row === EMPTY) {
      row = this.append(field, hash);
      this.slots[slot] = row;
    }
    const window = readWindow(value.toString('latin1'));
    this.startTimes[row] = window ? window.start : Number.NaN;
    this.eventCounts[row] = window ? window.count : Number.NaN;
  }

  /** The field's bytes, valid until the next `add`. */
  field(row: number): Buffer {
    return this.bytes.subarray(row === 0 ? 0 : this.ends[row - 1]!, this.ends[row]!);
  }

  /** The project id that the field is; null where it is none. */
  projectId(row: number): ObjectId | null {
    const from = row === 0 ? 0 : this.ends[row - 1]!;
    return this.ends[row]! - from === ID_LENGTH ? objectIdAt(this.bytes, from) : null;
  }

  hash(row: number): number {
    return this.fieldHashes[row]!;
  }

  /** Null where the value cannot be read. */
  window(row: number): Window | null {
    const start = this.startTimes[row]!;
    return Number.isNaN(start) ? null : { start, count: this.eventCounts[row]! };
  }

  private append(field: Buffer, hash: number): number {
    const row = this.size;
    const from = row === 0 ? 0 : this.ends[row - 1]!;
    const to = from + field.length;
    if (to > this.bytes.length) {
      const next = Buffer.alloc(Math.max(2 * this.bytes.length, to));
      this.bytes.copy(next);
      this.bytes = next;
    }
    field.copy(this.bytes, from);
    this.ends[row] = to;
    this.fieldHashes[row] = hash;
    this.size += 1;
    return row;
  }

  private slotOf(field: Buffer, hash: number): number {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const row = this.slots[slot]!;
      if (row === EMPTY || (this.fieldHashes[row] === hash && this.field(row).equals(field))) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private grow(): void {
    this.ends = doubled(this.ends);
    this.startTimes = doubled(this.startTimes);
    this.eventCounts = doubled(this.eventCounts);
    this.fieldHashes = doubled(this.fieldHashes);
    const slots = new Int32Array(2 * this.slots.length).fill(EMPTY);
    const mask = slots.length - 1;
    for (let row = 0; row < this.size; row++) {
      let slot = this.fieldHashes[row]! & mask;
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
      slots[slot] = row;
    }
    this.slots = slots;
  }
}
