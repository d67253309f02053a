import 'server-only';
import type { WindowState } from './schema';

/**
 * The error collector's rate limit (its atomic script) as pure functions: a window is `timestamp:count`, numbers are
 * doubles, and they are written as Lua writes numbers.
 */
export interface Limit {
  /** Events per window; 0 is unlimited. */
  limit: number;
  /** 0: every event opens a new window. */
  periodSeconds: number;
}

export interface Window {
  /** Unix seconds. */
  start: number;
  count: number;
}

/** The result of one event. */
export interface Step {
  state: WindowState;
  accepted: boolean;
  /** The new stored value; null if it does not change. */
  stored: string | null;
}

const NEAR_SHARE = 0.8;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/**
 * The first match of the unanchored Lua pattern `(%d+):(%d+)`, in linear time: the first colon between two digits, with
 * the digits around it. Null where the collector cannot read the value.
 */
export const readWindow = (value: string): Window | null => {
  for (let colon = value.indexOf(':'); colon !== -1; colon = value.indexOf(':', colon + 1)) {
    if (!isDigit(value.charCodeAt(colon - 1)) || !isDigit(value.charCodeAt(colon + 1))) continue;
    let from = colon;
    while (isDigit(value.charCodeAt(from - 1))) from -= 1;
    let to = colon + 1;
    while (isDigit(value.charCodeAt(to))) to += 1;
    return { start: Number(value.slice(from, colon)), count: Number(value.slice(colon + 1, to)) };
  }
  return null;
};

/** The state of a window at `now` (unix seconds): what happens to the next event. */
export const stateOf = (window: Window | null, { limit, periodSeconds }: Limit, now: number): WindowState => {
  if (limit === 0) return 'unlimited';
  if (window === null) return 'unreadable';
  if (now - window.start >= periodSeconds) return 'expired';
  if (window.count + 1 > limit) return 'limited';
  return window.count >= limit * NEAR_SHARE ? 'near' : 'ok';
};

export const isRefused = (state: WindowState): boolean => state === 'limited' || state === 'unreadable';

const SIGNIFICANT = 14;

/** A whole number as Lua prints it (`%.14g`): from 10^14 on rounded to 14 digits, half to even. */
export const luaNumber = (value: number): string => {
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const digits = BigInt(Math.abs(value)).toString();
  const sign = value < 0 ? '-' : '';
  if (digits.length <= SIGNIFICANT) return sign + digits;
  const rest = digits.slice(SIGNIFICANT);
  const half = `5${'0'.repeat(rest.length - 1)}`;
  const head = BigInt(digits.slice(0, SIGNIFICANT));
  const up = rest > half || (rest === half && head % 2n === 1n);
  const rounded = (up ? head + 1n : head).toString();
  const exponent = digits.length - 1 + (rounded.length - SIGNIFICANT);
  const fraction = rounded.slice(1).replace(/0+$/, '');
  return `${sign}${rounded[0]}${fraction === '' ? '' : `.${fraction}`}e+${String(exponent).padStart(2, '0')}`;
};

/** Applies one event to a field with this value (null: no field). */
export const applyEvent = (value: string | null, limit: Limit, now: number): Step => {
  const opened = `${luaNumber(now)}:1`;
  if (value === null)
    return limit.limit === 0
      ? { state: 'unlimited', accepted: true, stored: null }
      : { state: 'ok', accepted: true, stored: opened };
  const window = readWindow(value);
  const state = stateOf(window, limit, now);
  if (window === null || state === 'unlimited' || state === 'limited')
    return { state, accepted: !isRefused(state), stored: null };
  if (state === 'expired') return { state, accepted: true, stored: opened };
  return { state, accepted: true, stored: `${luaNumber(window.start)}:${luaNumber(window.count + 1)}` };
};

/** Events left in the window, and the share used (0–1); null where events are not counted. */
export const usage = (
  window: Window | null,
  { limit }: Limit,
  state: WindowState,
): { remaining: number | null; use: number | null } => {
  if (state === 'unlimited') return { remaining: null, use: null };
  if (state === 'unreadable') return { remaining: 0, use: null };
  if (state === 'limited') return { remaining: 0, use: 1 };
  if (window === null || state === 'expired') return { remaining: Math.max(0, limit), use: 0 };
  return { remaining: limit - window.count, use: window.count / limit };
};
