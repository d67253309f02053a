import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { fallbackFor } from '@/lib/errors';
import { isWrongType } from '@/lib/redis/failure';
import { iso, isoOrNull, SECOND } from '@/lib/time';
import { currentLimits, type Limits } from './limits';
import { windowsKey } from './pass';
import { currentView } from './reads';
import { finite, readBlocked, shownValue } from './rows';
import type { NextEvent, rateLimitContracts } from './schema';
import { compareWith } from './view';
import { applyEvent, type Limit, readWindow } from './window';

type Answer = Result<typeof rateLimitContracts.whatIf>;

/** The error collector's own messages. */
const REFUSAL = {
  blocked: 'Project has exceeded the events limit',
  limited: 'Rate limit exceeded',
  unreadable: 'Failed to update rate limit',
};

/** One field's value. On a key of another type the collector's script fails. */
type FieldValue = { value: Buffer | null } | 'wrong-type';

/** The collector checks the blocked set first, then the limit. `now` in unix seconds. */
export const nextEventOf = (
  stored: FieldValue,
  blocked: boolean | null,
  limit: Limit,
  now: number,
): NextEvent => {
  const broken = stored === 'wrong-type' && limit.limit !== 0;
  const value = stored === 'wrong-type' || stored.value === null ? null : stored.value.toString('latin1');
  const step = applyEvent(value, limit, now);
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

const readFieldValue = async (ctx: ReadContext, field: Buffer): Promise<FieldValue> => {
  const stored = ctx.reader.read(['HGET', windowsKey(ctx.connection, ctx.catalog), field]);
  return stored.then((value) => ({ value })).catch(fallbackFor(isWrongType, 'wrong-type' as const));
};

const projectAnswer = async (
  ctx: ReadContext,
  id: string,
  chosen: Limit | null,
  limits: Limits,
): Promise<Answer['project']> => {
  const field = Buffer.from(id.toLowerCase());
  const [stored, [blocked = null]] = await Promise.all([
    readFieldValue(ctx, field),
    readBlocked(ctx, [field]),
  ]);
  const now = Math.floor(ctx.now() / SECOND);
  const present = limits.resolve(id.toLowerCase());
  const value = stored === 'wrong-type' ? null : stored.value;
  const window = value && readWindow(value.toString('latin1'));
  return {
    projectId: id.toLowerCase(),
    blocked,
    present: nextEventOf(stored, blocked, present, now),
    chosen: chosen && nextEventOf(stored, blocked, chosen, now),
    ...present,
    project: limits.project(id.toLowerCase()),
    count: value === null && stored !== 'wrong-type' ? 0 : finite(window?.count),
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

/** What another limit would change, for all projects and for one. */
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
