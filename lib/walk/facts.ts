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
  /** When they were read, epoch ms. */
  at: number;
}

export const noFacts = (): Facts => ({
  ...{ keys: [], types: [], ttls: [], memory: [], lengths: [], encodings: [], idle: [] },
});

/** Of a key that our user may not read. */
export const UNREADABLE = { type: '', ttl: Number.NaN } as const;

/** What is read of every key; `some` is read afterwards, of the keys that need it. */
export interface Asked {
  memory: '' | 'estimate' | 'exact';
  lengths: boolean;
  encodings: boolean;
  idle: boolean;
}

export const askedOf = (all: readonly Wanted[]): Asked => {
  const wants = (memory: Wanted['memory']) => all.some((want) => want.memory === memory);
  return {
    memory: wants('exact') ? 'exact' : wants('all') ? 'estimate' : '',
    lengths: all.some(({ lengths }) => lengths === 'all'),
    encodings: all.some(({ encodings }) => encodings),
    idle: all.some(({ idle }) => idle),
  };
};

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
