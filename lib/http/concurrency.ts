import 'server-only';
import { type Actor, ownerOf } from '@/lib/actor';
import type { Contract } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';

/** What one user may have under way in this process. */
const LIMITS = {
  stream: {
    max: 8,
    retryAfterSeconds: 5,
    detail: 'You have 8 live views open, the most a user may have. Close another window or tab.',
  },
  walk: {
    max: 4,
    retryAfterSeconds: 2,
    detail: 'You have 4 searches or previews running, the most a user may have. Wait for one to end.',
  },
} as const;

type Kind = keyof typeof LIMITS;

/** By kind and user. */
const underWay = processWide('at-once', () => new Map<string, number>());

const kindsOf = ({ stream, walks }: Contract, input: unknown): Kind[] => {
  const isWalk = walks === true || (walks && (input as Record<string, unknown> | null)?.[walks] === true);
  return [...(stream ? ['stream' as const] : []), ...(isWalk ? ['walk' as const] : [])];
};

/** A user and the API tokens they made are one user. */
const userOf = (actor: Actor): string => {
  const owner = ownerOf(actor);
  return owner === null ? `${actor.kind} ${actor.id}` : `user ${owner}`;
};

/** Counts a call as under way until the answer is called, which may happen several times. Throws 429 beyond a limit. */
export const acquire = (contract: Contract, actor: Actor, input: unknown): (() => void) => {
  const counts = underWay();
  const places = kindsOf(contract, input).map((kind) => ({
    ...LIMITS[kind],
    name: `${kind} ${userOf(actor)}`,
  }));
  // Nothing was read or changed: it is a matter of load and not of the audit log.
  for (const { name, max, detail, retryAfterSeconds } of places)
    if ((counts.get(name) ?? 0) >= max)
      throw new Problem('throttled', detail, { extensions: { retryAfterSeconds } });
  for (const { name } of places) counts.set(name, (counts.get(name) ?? 0) + 1);
  return () => {
    for (const { name } of places.splice(0)) {
      const left = counts.get(name)! - 1;
      if (left > 0) counts.set(name, left);
      else counts.delete(name);
    }
  };
};

/** Does the work as one of those that its caller may have under way. */
export const withinLimits = async <T>(
  contract: Contract,
  actor: Actor,
  input: unknown,
  work: () => Promise<T>,
): Promise<T> => {
  const leave = acquire(contract, actor, input);
  try {
    return await work();
  } finally {
    leave();
  }
};
