import 'server-only';
import { type Actor, ownerOf } from '@/lib/actor';
import type { Contract } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';

/** Concurrent calls of one user in this process. */
const LIMITS = {
  stream: {
    max: 8,
    retryAfterSeconds: 5,
    detail: 'You have 8 live streams open, the maximum per user. Close one in another browser or client.',
  },
  walk: {
    max: 4,
    retryAfterSeconds: 2,
    detail: 'You have 4 searches or previews running, the maximum per user. Wait for one of them to finish.',
  },
} as const;

type Kind = keyof typeof LIMITS;

/** Number of calls by kind and user. */
const running = processWide('concurrency', () => new Map<string, number>());

const kindsOf = ({ stream, walks }: Contract, input: unknown): Kind[] => {
  const isWalk = walks === true || (walks && (input as Record<string, unknown> | null)?.[walks] === true);
  return [...(stream ? ['stream' as const] : []), ...(isWalk ? ['walk' as const] : [])];
};

/** A user and their API tokens share one limit. */
const userOf = (actor: Actor): string => {
  const owner = ownerOf(actor);
  return owner === null ? `${actor.kind} ${actor.id}` : `user ${owner}`;
};

/** How many calls of a kind this process has open, of all users. */
export const openCalls = (kind: Kind): number =>
  [...running()].reduce((sum, [name, count]) => (name.startsWith(`${kind} `) ? sum + count : sum), 0);

/** Counts a call until the returned function is called, more than once is fine. Throws 429 beyond a limit. */
export const acquire = (contract: Contract, actor: Actor, input: unknown): (() => void) => {
  const counts = running();
  const limits = kindsOf(contract, input).map((kind) => ({
    ...LIMITS[kind],
    name: `${kind} ${userOf(actor)}`,
  }));
  // A limit on load, not on access: it is not recorded in the audit log.
  for (const { name, max, detail, retryAfterSeconds } of limits)
    if ((counts.get(name) ?? 0) >= max)
      throw new Problem('throttled', detail, { extensions: { retryAfterSeconds } });
  for (const { name } of limits) counts.set(name, (counts.get(name) ?? 0) + 1);
  return () => {
    for (const { name } of limits.splice(0)) {
      const left = counts.get(name)! - 1;
      if (left > 0) counts.set(name, left);
      else counts.delete(name);
    }
  };
};

/** Runs `work` within the limits of its caller. */
export const withinLimits = async <T>(
  contract: Contract,
  actor: Actor,
  input: unknown,
  work: () => Promise<T>,
): Promise<T> => {
  const release = acquire(contract, actor, input);
  try {
    return await work();
  } finally {
    release();
  }
};
