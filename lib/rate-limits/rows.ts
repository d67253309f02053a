import 'server-only';
import { createHash } from 'node:crypto';
import type { ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { displayBytes, displayKey, displayName, keyId } from '@/lib/keyspace/display';
import { isWrongType } from '@/lib/redis/failure';
import { isoOrNull, SECOND } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import type { Limits } from './limits';
import { windowsKey } from './pass';
import type { RateWindow } from './schema';
import { readWindow, stateOf, usage, type Window } from './window';

const SHOWN = 200;
/** As in `take-window.lua`: longer values are not matched against a pattern. */
const MAX_READ_BYTES = 256;

/** Turns a wrong type into a 409 that names the key. */
export const onHash = async <T>(ctx: ReadContext, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isWrongType(error)) throw error;
    const name = displayKey(windowsKey(ctx.connection, ctx.catalog), ctx.catalog);
    throw new Problem(
      'conflict',
      `The key ${name} is not a hash: the collector refuses every event that has a limit ("Failed to update rate limit"). Check the key and delete it.`,
      { cause: error },
    );
  }
};

/** Identifies a window by its start, so that counting does not change it. The same as in `take-window.lua`. */
export const etagOf = (value: Buffer): string => {
  const text = value.toString('latin1');
  const start = value.length <= MAX_READ_BYTES ? /(\d+):\d+/.exec(text)?.[1] : undefined;
  const named = start === undefined ? Buffer.concat([Buffer.from('value:'), value]) : `start:${start}`;
  return createHash('sha1').update(named).digest('hex');
};

/** Lower case only: the collector writes ids so, and any other field is not a project. */
export const projectIdOf = (field: Buffer): string | null => {
  const text = textOf(field);
  return text !== null && /^[0-9a-f]{24}$/.test(text) ? text : null;
};

/** A count for JSON, which has no infinity; the collector's doubles do. */
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
    field: displayName(field),
    projectId: projectIdOf(field),
    windowStart: isoOrNull(window && window.start * SECOND),
    count: value === null ? 0 : finite(window?.count),
    ...limit,
    ...usage(window, limit, state),
    resetsAt: isoOrNull(window && counts ? (window.start + limit.periodSeconds) * SECOND : null),
    state,
    project: limits.project(id),
    names: limits.names(id),
    blocked,
    raw: value && shownValue(value),
    etag: value && etagOf(value),
  };
};

/** The current values of fields. */
export const readFields = async (ctx: ReadContext, fields: readonly Buffer[]): Promise<(Buffer | null)[]> => {
  if (fields.length === 0) return [];
  const key = windowsKey(ctx.connection, ctx.catalog);
  return onHash(ctx, () => ctx.reader.read(['HMGET', key, ...fields]));
};

/** For each field, whether it is in the blocked set, compared as the collector does; null if it is missing or unreadable. */
export const readBlocked = async (
  ctx: ReadContext,
  fields: readonly Buffer[],
): Promise<(boolean | null)[]> => {
  const blocked = ctx.catalog.role('block-list');
  if (fields.length === 0 || !blocked) return fields.map(() => null);
  const [flags] = await ctx.reader.readMany([['SMISMEMBER', blocked.key(), ...fields]]);
  return fields.map((_, i) => (flags instanceof Error ? null : flags[i] === 1));
};

/** Current windows, in order; null for a field without one, unless `withoutWindow` includes those. */
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
