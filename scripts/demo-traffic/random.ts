const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A seeded generator (mulberry32): the same seed creates the same demo. */
export interface Random {
  /** A number from 0 to 1, without 1. */
  next(): number;
  /** An integer from 0 to `below` − 1. */
  below(below: number): number;
  /** Like `below`, but small numbers are far more frequent, like popular pages. */
  popular(below: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  bytes(length: number): Buffer;
  hex(length: number): string;
  word(length: number): string;
}

export const seededRandom = (seed: number): Random => {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256)));
  return {
    next,
    below,
    popular: (limit) => Math.floor(next() ** 3 * limit),
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)]!,
    bytes,
    hex: (length) =>
      bytes(Math.ceil(length / 2))
        .toString('hex')
        .slice(0, length),
    word: (length) => Array.from({ length }, () => BASE62[below(62)]).join(''),
  };
};
