import 'server-only';
import type { Key } from '@/lib/redis/commands';
import { describeFailure, isRefusal } from '@/lib/redis/failure';
import type { Wanted } from './collector';

/** What one call of a walk read, as parallel arrays. */
export interface Facts {
  keys: Key[];
  types: string[];
  ttls: number[];
  memory: (number | null)[];
  lengths: (number | null)[];
  encodings: (string | null)[];
  idle: (number | null)[];
}

/** Measuring all elements of a key up to this estimate takes some 50 µs. A larger one is measured by a call of its own. */
export const LARGE_BYTES = 16 * 1024;

/** One call of a walk. */
export interface ReadFacts extends Facts {
  vanished: number;
  /** Places of large collections whose exact memory is wanted: what was read of it is an estimate. */
  large: number[];
  /** As far as it can be measured, ms. */
  serverMs: number;
  /** When they were asked for, epoch ms: the answer may wait until this process has time for it. */
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

/** The facts of keys at these places. */
const factsAt = (facts: Facts, places: readonly number[]): Facts =>
  Object.fromEntries(NAMES.map((name) => [name, places.map((i) => facts[name][i])])) as unknown as Facts;

/** The facts of the keys that are wanted, which get the place of the key, too. */
export const factsOf = (facts: Facts, isWanted: (key: Key, place: number) => boolean): Facts => {
  const places = [...facts.keys.keys()].filter((i) => isWanted(facts.keys[i]!, i));
  return places.length === facts.keys.length ? facts : factsAt(facts, places);
};

/** As `factsOf`, for all that one call read; `isAgain`: what had vanished was counted before. */
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

/** TTLs as they would have been read some ms sooner. */
const sooner = (ttls: readonly number[], ms: number): number[] =>
  ttls.map((ttl) => (ttl >= 0 ? ttl + ms : ttl));

/** What several calls read, as one at the time of the first of them. */
export const joinFacts = (parts: readonly ReadFacts[]): ReadFacts => {
  const [first] = parts;
  if (parts.length === 1) return first!;
  const { at } = first!;
  // Several times as quick as `flatMap`.
  const all = <T>(of: (part: ReadFacts) => readonly T[]): T[] => ([] as T[]).concat(...parts.map(of));
  let [before, vanished, serverMs] = [0, 0, 0];
  const large: number[] = [];
  for (const part of parts) {
    for (const place of part.large) large.push(before + place);
    before += part.keys.length;
    vanished += part.vanished;
    serverMs += part.serverMs;
  }
  return {
    keys: all(({ keys }) => keys),
    types: all(({ types }) => types),
    ttls: all((part) => sooner(part.ttls, part.at - at)),
    memory: all(({ memory }) => memory),
    lengths: all(({ lengths }) => lengths),
    encodings: all(({ encodings }) => encodings),
    idle: all(({ idle }) => idle),
    large,
    vanished,
    serverMs,
    at,
  };
};

/** Of a key that our user may not read. */
export const UNREADABLE = { type: '', ttl: Number.NaN } as const;

/** Of which keys a fact is read: of none, of a sample, or of each. */
export type Extent = '' | 'sample' | 'all';

/** What is read with every call; `some` is read afterwards, of the keys that need it. */
export interface Asked {
  memory: '' | 'estimate' | 'exact';
  lengths: Extent;
  encodings: Extent;
  idle: Extent;
}

/** The wider of two. */
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

/** The first keys of a walk, of which each is in the sample. SCAN's order is by digest, so they are as good as any. */
const FIRST_SAMPLED = 100_000;
const SAMPLE_EVERY = 16;

/** Which keys of the next call are in the sample: one in this many. `keys`: those that the walk read before. */
export const sampleEvery = (keys: number): number => (keys < FIRST_SAMPLED ? 1 : SAMPLE_EVERY);

/** What could not be read during a walk, and why: it is asked for no longer, or its keys have no such fact. */
export class Refusals {
  /** An LFU policy knows no idle time, of any key. */
  idle = false;
  /** In words: the first refusal that concerns more than the policy. */
  reason: string | null = null;
  /** In words: why this walk reads lengths of some keys only; null where it reads all that are wanted. */
  fewLengths: string | null = null;
  private readonly notes = new Set<string>();

  /** Why a fact of a key that is there may be missing; null where none may. */
  get whyMissing(): string | null {
    return this.reason ?? this.fewLengths;
  }

  add(what: 'memory' | 'idle' | 'others', error: unknown): void {
    // The server understood the command and refuses it for its policy.
    if (what === 'idle' && isRefusal(error)) this.idle = true;
    else this.reason ??= `Some facts are missing: ${describeFailure(error)}.`;
  }

  /** Adds a sentence on what was not read as it was wanted, although nothing was refused. */
  explain(sentence: string): void {
    this.notes.add(sentence);
  }

  /** Sentences. */
  all(): string[] {
    return [this.reason, this.fewLengths, ...this.notes].filter((sentence) => sentence !== null);
  }
}
