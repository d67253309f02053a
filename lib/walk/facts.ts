import 'server-only';
import type { Key } from '@/lib/redis/commands';
import { describeFailure, isRefusal } from '@/lib/redis/failure';
import type { Wanted } from './collector';

/** The facts that one call of a walk read, as parallel arrays. */
export interface Facts {
  keys: Key[];
  types: string[];
  ttls: number[];
  memory: (number | null)[];
  lengths: (number | null)[];
  encodings: (string | null)[];
  idle: (number | null)[];
}

/**
 * Measuring all elements of a key with an estimate up to this takes about 50 µs. A larger key is measured in a
 * separate call.
 */
export const LARGE_BYTES = 16 * 1024;

/** The result of one call of a walk. */
export interface ReadFacts extends Facts {
  vanished: number;
  /** Indexes of large collections whose exact memory is wanted: `memory` has an estimate for them. */
  large: number[];
  /** As far as it can be measured, ms. */
  serverMs: number;
  /** When the facts were requested, epoch ms: the answer may wait until this process has time for it. */
  at: number;
}

export const noFacts = (): Facts => ({
  keys: [],
  types: [],
  ttls: [],
  memory: [],
  lengths: [],
  encodings: [],
  idle: [],
});

const NAMES = Object.keys(noFacts()) as (keyof Facts)[];

/** The facts of the keys at these indexes. */
const factsAt = (facts: Facts, places: readonly number[]): Facts =>
  Object.fromEntries(NAMES.map((name) => [name, places.map((i) => facts[name][i])])) as unknown as Facts;

/** The facts of the wanted keys; `isWanted` also gets the key's index. */
export const factsOf = (facts: Facts, isWanted: (key: Key, place: number) => boolean): Facts => {
  const places = [...facts.keys.keys()].filter((i) => isWanted(facts.keys[i]!, i));
  return places.length === facts.keys.length ? facts : factsAt(facts, places);
};

/** Like `factsOf`, for everything that one call read; `isAgain`: vanished keys were counted before. */
export const selectFacts = (
  facts: ReadFacts,
  isWanted: (key: Key) => boolean,
  isAgain: boolean,
): ReadFacts => {
  const places = [...facts.keys.keys()].filter((i) => isWanted(facts.keys[i]!));
  const large = new Set(facts.large);
  return {
    ...facts,
    ...factsAt(facts, places),
    vanished: isAgain ? 0 : facts.vanished,
    large: [...places.keys()].filter((at) => large.has(places[at]!)),
  };
};

/** The TTLs at a time some ms earlier. */
const sooner = (ttls: readonly number[], ms: number): number[] =>
  ttls.map((ttl) => (ttl >= 0 ? ttl + ms : ttl));

/** Joins the results of several calls into one at the time of the first. */
export const joinFacts = (parts: readonly ReadFacts[]): ReadFacts => {
  const [first] = parts;
  if (parts.length === 1) return first!;
  const { at } = first!;
  // Several times as fast as `flatMap`.
  const joined = <T>(of: (part: ReadFacts) => readonly T[]): T[] => ([] as T[]).concat(...parts.map(of));
  let [before, vanished, serverMs] = [0, 0, 0];
  const large: number[] = [];
  for (const part of parts) {
    for (const place of part.large) large.push(before + place);
    before += part.keys.length;
    vanished += part.vanished;
    serverMs += part.serverMs;
  }
  return {
    keys: joined(({ keys }) => keys),
    types: joined(({ types }) => types),
    ttls: joined((part) => sooner(part.ttls, part.at - at)),
    memory: joined(({ memory }) => memory),
    lengths: joined(({ lengths }) => lengths),
    encodings: joined(({ encodings }) => encodings),
    idle: joined(({ idle }) => idle),
    large,
    vanished,
    serverMs,
    at,
  };
};

/** The facts of a key that our user may not read. */
export const UNREADABLE = { type: '', ttl: Number.NaN } as const;

/** Which keys a fact is read for: none, a sample, or all. */
export type Extent = '' | 'sample' | 'all';

/** What every call reads; `some` is read afterwards, for the keys that need it. */
export interface Asked {
  memory: '' | 'estimate' | 'exact';
  lengths: Extent;
  encodings: Extent;
  idle: Extent;
}

export const widerOf = (a: Extent, b: Extent): Extent => {
  if (a === 'all' || b === 'all') return 'all';
  return a || b;
};

export const askedOf = (all: readonly Wanted[]): Asked => {
  const wants = (memory: Wanted['memory']) => all.some((want) => want.memory === memory);
  const extentOf = (name: 'lengths' | 'encodings' | 'idle') => {
    const has = (extent: Extent) => all.some((want) => want[name] === extent);
    return has('all') ? 'all' : has('sample') ? 'sample' : '';
  };
  return {
    memory: wants('exact') ? 'exact' : wants('all') ? 'estimate' : '',
    lengths: extentOf('lengths'),
    encodings: extentOf('encodings'),
    idle: extentOf('idle'),
  };
};

/** The first keys of a walk, all in the sample. SCAN's order is random, so they are as representative as any. */
const FIRST_SAMPLED = 100_000;
const SAMPLE_EVERY = 16;

/** One in this many keys of the next call is in the sample. `keys`: the number of keys read before. */
export const sampleEvery = (keys: number): number => (keys < FIRST_SAMPLED ? 1 : SAMPLE_EVERY);

/** What could not be read during a walk, and why. It is not requested again. */
export class Refusals {
  /** Whether idle times are refused because of an LFU policy, which refuses them for all keys. */
  idle = false;
  /** As a sentence: the first refusal that concerns more than the policy. */
  reason: string | null = null;
  /** As a sentence: why this walk reads the lengths of some keys only; null where it reads all. */
  fewLengths: string | null = null;
  private readonly notes = new Set<string>();

  /** Why facts of existing keys may be missing; null where none may. */
  get whyMissing(): string | null {
    return this.reason ?? this.fewLengths;
  }

  add(what: 'memory' | 'idle' | 'others', error: unknown): void {
    // The server knows the command and refuses it because of its policy.
    if (what === 'idle' && isRefusal(error)) this.idle = true;
    else this.reason ??= `Some facts are missing: ${describeFailure(error)}.`;
  }

  /** Adds a sentence about a read that was restricted without a refusal. */
  explain(sentence: string): void {
    this.notes.add(sentence);
  }

  /** All reasons, as sentences. */
  all(): string[] {
    return [this.reason, this.fewLengths, ...this.notes].filter((sentence) => sentence !== null);
  }
}
