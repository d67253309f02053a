import 'server-only';
import { createHash } from 'node:crypto';
import { displayBytes, displayKey, keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { isWrongType } from '@/lib/redis/failure';
import { isoOrNull, SECOND } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import type { Limits } from './limits';
import { windowsKey } from './pass';
import type { RateWindow } from './schema';
import { readWindow, stateOf, usage, type Window } from './window';

const SHOWN = 200;
/** As in `take-window.lua`: no pattern is tried on a longer value. */
const MAX_READ_BYTES = 256;

/** A key that is no hash is told as such (409), whoever made it: the collector then refuses every limited project. */
export const onHash = async <T>(ctx: ReadContext, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isWrongType(error)) throw error;
    const name = displayKey(windowsKey(ctx.connection, ctx.catalog), ctx.catalog);
    throw new Problem(
      'conflict',
      `The key ${name} is not a hash: the collector refuses every event that has a limit ("Failed to update rate limit"). Look at the key and remove it.`,
      { cause: error },
    );
  }
};

/** Names a window: counting on keeps it, another window is another one. As `take-window.lua` makes it. */
export const etagOf = (value: Buffer): string => {
  const text = value.toString('latin1');
  const start = value.length <= MAX_READ_BYTES ? /(\d+):\d+/.exec(text)?.[1] : undefined;
  const named = start === undefined ? Buffer.concat([Buffer.from('value:'), value]) : `start:${start}`;
  return createHash('sha1').update(named).digest('hex');
};

/** In lower case only: the collector writes no other, so a field spelled otherwise is no project's. */
export const projectIdOf = (field: Buffer): string | null => {
  const text = textOf(field);
  return text !== null && /^[0-9a-f]{24}$/.test(text) ? text : null;
};

/** What JSON can say of a count: the doubles of the collector know more. */
export const finite = (count: number | undefined): number | null =>
  count !== undefined && Number.isFinite(count) ? count : null;

export const shownValue = (value: Buffer): string => displayBytes(value, SHOWN);

interface Stored {
  field: Buffer;
  /** Null where a project has no window. */
  value: Buffer | null;
  blocked: boolean | null;
}

const toRow = ({ field, value, blocked }: Stored, limits: Limits, now: number): RateWindow => {
  const id = field.toString('latin1');
  const limit = limits.resolve(id);
  const window: Window | null = value === null ? null : readWindow(value.toString('latin1'));
  const open = value === null && limit.limit !== 0;
  const state = open ? 'ok' : stateOf(window, limit, now);
  const counts = state !== 'unlimited' && state !== 'unreadable';
  return {
    fieldId: keyId(field),
    field: displayBytes(field, SHOWN),
    projectId: projectIdOf(field),
    windowStart: isoOrNull(window && window.start * SECOND),
    count: value === null ? 0 : finite(window?.count),
    ...limit,
    ...usage(window, limit, state),
    resetsAt: isoOrNull(window && counts ? (window.start + limit.periodSeconds) * SECOND : null),
    state,
    project: limits.project(id),
    blocked,
    raw: value && shownValue(value),
    etag: value && etagOf(value),
  };
};

/** The values of fields as they are now. */
export const readFields = async (ctx: ReadContext, fields: readonly Buffer[]): Promise<(Buffer | null)[]> => {
  if (fields.length === 0) return [];
  const key = windowsKey(ctx.connection, ctx.catalog);
  return onHash(ctx, () => ctx.reader.read(['HMGET', key, ...fields]));
};

/** Of each field, whether it is in the blocked set as the collector compares it; null where that cannot be read. */
export const readBlocked = async (
  ctx: ReadContext,
  fields: readonly Buffer[],
): Promise<(boolean | null)[]> => {
  if (fields.length === 0) return [];
  const set = ctx.catalog.mustGet('hawk.disabled-projects').key();
  const [flags] = await ctx.reader.readMany([['SMISMEMBER', set, ...fields]]);
  return fields.map((_, i) => (flags instanceof Error ? null : flags[i] === 1));
};

/** Windows as they are now, in order; null where there is none, unless `withoutWindow` asks for it all the same. */
export const readRows = async (
  ctx: ReadContext,
  fields: readonly Buffer[],
  limits: Limits,
  withoutWindow = false,
): Promise<(RateWindow | null)[]> => {
  const [values, blocked] = await Promise.all([readFields(ctx, fields), readBlocked(ctx, fields)]);
  const now = Math.floor(ctx.now() / SECOND);
  return fields.map((field, i) => {
    const value = values[i] ?? null;
    if (value === null && !withoutWindow) return null;
    return toRow({ field, value, blocked: blocked[i] ?? null }, limits, now);
  });
};
