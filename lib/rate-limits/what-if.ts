import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { isWrongType } from '@/lib/redis/failure';
import { iso, isoOrNull, SECOND } from '@/lib/time';
import { currentLimits, type Limits } from './limits';
import { windowsKey } from './pass';
import { currentView } from './reads';
import { finite, readBlocked, shownValue } from './rows';
import type { NextEvent, rateLimitContracts } from './schema';
import { compareWith } from './view';
import { type Limit, readWindow, weigh } from './window';

type Answer = Result<typeof rateLimitContracts.whatIf>;

/** The collector's own words (003, and its handlers). */
const REFUSAL = {
  blocked: 'Project has exceeded the events limit',
  limited: 'Rate limit exceeded',
  unreadable: 'Failed to update rate limit',
};

/** What one field of the hash holds; the key may be of another type, on which the collector's script breaks. */
type Held = { value: Buffer | null } | 'wrong-type';

/** The blocked set is looked at first, then the limit. `now` in unix seconds. */
export const nextEventOf = (held: Held, blocked: boolean | null, limit: Limit, now: number): NextEvent => {
  const broken = held === 'wrong-type' && limit.limit !== 0;
  const value = held === 'wrong-type' || held.value === null ? null : held.value.toString('latin1');
  const step = weigh(value, limit, now);
  const state = broken ? 'unreadable' : step.state;
  const refused = (message: string, acceptedAt: string | null): NextEvent => ({
    accepted: false,
    status: 402,
    message,
    acceptedAt,
    state,
  });
  if (blocked === true) return refused(REFUSAL.blocked, null);
  if (state === 'unreadable') return refused(REFUSAL.unreadable, null);
  if (step.accepted)
    return { accepted: true, status: 200, message: null, acceptedAt: iso(now * SECOND), state };
  const window = readWindow(value!)!;
  return refused(REFUSAL.limited, isoOrNull((window.start + limit.periodSeconds) * SECOND));
};

const readHeld = async (ctx: ReadContext, field: Buffer): Promise<Held> => {
  try {
    return { value: await ctx.reader.read(['HGET', windowsKey(ctx.connection, ctx.catalog), field]) };
  } catch (error) {
    if (isWrongType(error)) return 'wrong-type';
    throw error;
  }
};

const projectAnswer = async (
  ctx: ReadContext,
  id: string,
  chosen: Limit | null,
  limits: Limits,
): Promise<Answer['project']> => {
  const field = Buffer.from(id.toLowerCase());
  const [held, [blocked = null]] = await Promise.all([readHeld(ctx, field), readBlocked(ctx, [field])]);
  const now = Math.floor(ctx.now() / SECOND);
  const present = limits.resolve(id.toLowerCase());
  const value = held === 'wrong-type' ? null : held.value;
  const window = value && readWindow(value.toString('latin1'));
  return {
    projectId: id.toLowerCase(),
    blocked,
    present: nextEventOf(held, blocked, present, now),
    chosen: chosen && nextEventOf(held, blocked, chosen, now),
    ...present,
    project: limits.project(id.toLowerCase()),
    count: value === null && held !== 'wrong-type' ? 0 : finite(window?.count),
    windowStart: isoOrNull(window && window.start * SECOND),
    raw: value && shownValue(value),
    releases: blocked === true ? 'refused' : 'accepted',
  };
};

const allAnswer = async (ctx: ReadContext, chosen: Limit): Promise<Answer['all']> => {
  const { view, limits } = await currentView(ctx);
  const found = await compareWith(view, chosen, Math.floor(ctx.now() / SECOND));
  return {
    ...found,
    more: found.refused - found.refusedAtPresent,
    sampledAt: iso(view.pass.finishedAt ?? view.pass.startedAt),
    complete: view.pass.finishedAt !== null && limits.state.status !== 'loading',
  };
};

/** What a limit would change, for all projects and for one. */
export const whatIf = async (
  ctx: ReadContext,
  { limit, periodSeconds, projectId }: Input<typeof rateLimitContracts.whatIf>,
): Promise<Answer> => {
  windowsKey(ctx.connection, ctx.catalog);
  const limits = await currentLimits(ctx.connection);
  const chosen = limit === undefined || periodSeconds === undefined ? null : { limit, periodSeconds };
  const project = projectId === undefined ? null : await projectAnswer(ctx, projectId, chosen, limits);
  return {
    limit: chosen?.limit ?? null,
    periodSeconds: chosen?.periodSeconds ?? null,
    all: chosen && (await allAnswer(ctx, chosen)),
    project,
    limits: limits.state,
  };
};
