import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { type Actor, ownerOf } from '@/lib/actor';
import type { Contract } from '@/lib/contract';
import { throttled } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';
import { SECOND } from '@/lib/time';

/** Limits of concurrent calls, per user and in total. Others wait. */
const CALLS = { ofUser: 8, ofAll: 32, waiting: 200 };
/**
 * If more calls of a user are open than a browser sends, only two run, with pauses: many cheap calls also keep the
 * process busy.
 */
const CROWD = { open: 32, ofUser: 2, pauseMs: 20 };

/** Concurrent work of one user in this process. */
const LIMITS = {
  stream: {
    max: 8,
    retryAfterSeconds: 5,
    detail: 'You have 8 live streams open, the maximum per user. Close one in another browser or client.',
  },
  download: {
    max: 2,
    retryAfterSeconds: 2,
    detail: 'You have 2 downloads running, the maximum per user. Wait for one of them to finish.',
  },
  call: {
    max: CALLS.ofUser + CALLS.waiting,
    retryAfterSeconds: 1,
    detail: `${CALLS.waiting} calls of yours are waiting, the maximum per user.`,
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

const kindsOf = ({ stream, download, walks }: Contract, input: unknown): Kind[] => {
  const isWalk = walks === true || (walks && (input as Record<string, unknown> | null)?.[walks] === true);
  const kinds: Kind[] = [];
  if (stream) kinds.push('stream');
  if (download) kinds.push('download');
  if (isWalk) kinds.push('walk');
  return kinds.length > 0 ? kinds : ['call'];
};

/** A user and their API tokens share one limit. */
const userOf = (actor: Actor): string => {
  const owner = ownerOf(actor);
  return owner === null ? `${actor.kind} ${actor.id}` : `user ${owner}`;
};

const addTo = (counts: Map<string, number>, name: string, by: 1 | -1): void => {
  const count = (counts.get(name) ?? 0) + by;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
};

/** The number of open calls of a kind in this process, over all users. */
export const openCalls = (kind: Kind): number =>
  [...running()].reduce((sum, [name, count]) => (name.startsWith(`${kind} `) ? sum + count : sum), 0);

/** Counts a call until the returned function is called, possibly several times. Throws 429 beyond a limit. */
export const acquire = (contract: Contract, actor: Actor, input: unknown): (() => void) => {
  const counts = running();
  const limits = kindsOf(contract, input).map((kind) => ({
    ...LIMITS[kind],
    name: `${kind} ${userOf(actor)}`,
  }));
  // A limit on load, not on access: it is not recorded in the audit log.
  for (const { name, max, detail, retryAfterSeconds } of limits)
    if ((counts.get(name) ?? 0) >= max) throw throttled(detail, retryAfterSeconds);
  for (const { name } of limits) addTo(counts, name, 1);
  return () => {
    for (const { name } of limits.splice(0)) addTo(counts, name, -1);
  };
};

/** Requests that are being answered, by user. */
const open = processWide('open requests', () => new Map<string, number>());
const senders = new WeakMap<Request, string>();

/** Counts a request of a user as open, once, until `closeRequest`. */
export const openRequest = (request: Request, actor: Actor): void => {
  if (senders.has(request)) return;
  const user = userOf(actor);
  senders.set(request, user);
  addTo(open(), user, 1);
};

/** Who sent a request; null without credentials. */
export const senderOf = (request: Request): string | null => senders.get(request) ?? null;

export const closeRequest = (request: Request): void => {
  const user = senders.get(request);
  if (user === undefined) return;
  senders.delete(request);
  addTo(open(), user, -1);
};

interface Turns {
  all: LimitFunction;
  byUser: Map<string, LimitFunction>;
}

const turns = processWide('turns', (): Turns => ({ all: pLimit(CALLS.ofAll), byUser: new Map() }));

const runQueued = <T>(user: string, kind: 'call' | 'refusal', work: () => Promise<T>): Promise<T> => {
  const { byUser } = turns();
  const name = `${kind} ${user}`;
  const own = byUser.get(name) ?? pLimit(CALLS.ofUser);
  byUser.set(name, own);
  const isCrowd = (open().get(user) ?? 0) > CROWD.open;
  own.concurrency = isCrowd ? CROWD.ofUser : CALLS.ofUser;
  return own(async () => {
    if (isCrowd) await sleep(CROWD.pauseMs);
    return work();
  });
};

const queued = <T>(actor: Actor, work: () => Promise<T>): Promise<T> =>
  runQueued(userOf(actor), 'call', () => turns().all(work));

/** Refusals wait only for each other: a crowd of refused calls that are repeated immediately then delays nobody else. */
export const refusalTurn = async (request: Request): Promise<void> => {
  const user = senders.get(request);
  if (user !== undefined) await runQueued(user, 'refusal', async () => undefined);
};

/** A call to be limited. `signal` aborts when the client disconnects. */
export interface LimitedCall {
  contract: Contract;
  actor: Actor;
  input: unknown;
  signal: AbortSignal;
}

/** Like `acquire`, but delays a refusal: a client that retries immediately, ignoring Retry-After, then delays nobody. */
export const acquireLate = async ({ contract, actor, input }: LimitedCall): Promise<() => void> => {
  try {
    return acquire(contract, actor, input);
  } catch (error) {
    await sleep(SECOND);
    throw error;
  }
};

/**
 * Runs `work` within the limits of its caller. Calls wait, so that one user's load does not become another's; searches
 * have separate limits. Throws 429, and the reason of `signal` where the client has disconnected meanwhile.
 */
export const withinLimits = async <T>(call: LimitedCall, work: () => Promise<T>): Promise<T> => {
  const release = await acquireLate(call);
  const run = () => {
    call.signal.throwIfAborted();
    return work();
  };
  try {
    return await (kindsOf(call.contract, call.input).includes('walk') ? run() : queued(call.actor, run));
  } finally {
    release();
  }
};
