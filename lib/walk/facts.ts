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

/** One call of a walk. */
export interface ReadFacts extends Facts {
  vanished: number;
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

/** What the server refused during a walk, and why: it is asked for no longer, or its keys have no such fact. */
export class Refusals {
  /** An LFU policy knows no idle time, of any key. */
  idle = false;
  /** In words: the first refusal that concerns more than the policy. */
  reason: string | null = null;

  add(what: 'memory' | 'idle' | 'others', error: unknown): void {
    // The server understood the command and refuses it for its policy.
    if (what === 'idle' && isRefusal(error)) this.idle = true;
    else this.reason ??= `Some facts are missing: ${describeFailure(error)}`;
  }
}
