import 'server-only';
import { randomInt } from 'node:crypto';
import { bytesEqualAt } from '@/lib/catalog/bytes';
import type { Key } from '@/lib/redis/commands';

/** Above them keys that SCAN gives twice are no longer told apart, to keep memory flat. */
const MOST_KEYS = 1_000_000;
const MOST_BYTES = 512 * 1024 * 1024;

const FIRST_SLOTS = 1 << 10;
const FIRST_BYTES = 1 << 16;
/** A slot is a hash and a place, the hash first. */
const SLOT = 2;
const PRIME = 0x01000193;

/** FNV-1a from a beginning that nobody can know, so that nobody can choose keys that collide. */
const seeded = (): ((key: Key) => number) => {
  const seed = randomInt(2 ** 32);
  return (key) => {
    let hash = seed | 0;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key[i]!, PRIME);
    // The low bits choose the slot: let the high ones, which saw most of the key, have their say.
    return (hash ^ (hash >>> 15)) >>> 0;
  };
};

interface Most {
  keys: number;
  bytes: number;
}

/**
 * Tells keys seen before from new ones, in bounded memory: an open hash table over the keys' bytes, which lie behind one
 * another. No object a key, so that the garbage collector has nothing to go through.
 */
export class Seen {
  private slots = new Uint32Array(SLOT * FIRST_SLOTS);
  private bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Where each key begins, and after the last where the next one will. */
  private starts = new Uint32Array(FIRST_SLOTS);
  private count = 0;
  private readonly hashOf: (key: Key) => number;
  private readonly most: Most;

  /** `hashOf` gives 32 bits, `most` bounds what is remembered. */
  constructor(hashOf = seeded(), most: Most = { keys: MOST_KEYS, bytes: MOST_BYTES }) {
    this.hashOf = hashOf;
    this.most = most;
  }

  isNew(key: Key): boolean {
    const hash = this.hashOf(key);
    const { slots, count } = this;
    const last = slots.length / SLOT - 1;
    let slot = hash & last;
    // A place is counted from 1: 0 is a free slot.
    for (; slots[SLOT * slot + 1] !== 0; slot = (slot + 1) & last)
      if (slots[SLOT * slot] === hash && this.is(slots[SLOT * slot + 1]! - 1, key)) return false;
    const start = this.starts[count]!;
    if (count >= this.most.keys || start + key.length > this.most.bytes) return true;
    slots[SLOT * slot] = hash;
    slots[SLOT * slot + 1] = count + 1;
    this.keep(key, start);
    if (SLOT * this.count > last) this.widen();
    return true;
  }

  private is(index: number, key: Key): boolean {
    const start = this.starts[index]!;
    return this.starts[index + 1]! - start === key.length && bytesEqualAt(this.bytes, start, key);
  }

  private keep(key: Key, start: number): void {
    const end = start + key.length;
    if (end > this.bytes.length) {
      const wider = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.bytes.length));
      wider.set(this.bytes.subarray(0, start));
      this.bytes = wider;
    }
    this.bytes.set(key, start);
    this.count += 1;
    this.starts[this.count] = end;
  }

  /** Twice the slots, so that at most half of them are ever taken. */
  private widen(): void {
    const before = this.slots;
    const slots = new Uint32Array(2 * before.length);
    const last = slots.length / SLOT - 1;
    for (let at = 0; at < before.length; at += SLOT) {
      if (before[at + 1] === 0) continue;
      let slot = before[at]! & last;
      while (slots[SLOT * slot + 1] !== 0) slot = (slot + 1) & last;
      slots[SLOT * slot] = before[at]!;
      slots[SLOT * slot + 1] = before[at + 1]!;
    }
    this.slots = slots;
    const starts = new Uint32Array(slots.length / SLOT);
    starts.set(this.starts);
    this.starts = starts;
  }
}
