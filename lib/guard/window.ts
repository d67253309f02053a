import 'server-only';

/**
 * The collector's rate limit as one pure rule (003, `rate_limits`, and its Lua script): a window is `timestamp:count`,
 * read by the unanchored pattern `(%d+):(%d+)`.
 */
export interface Limit {
  /** Events per window; 0 is unlimited. */
  limit: number;
  periodSeconds: number;
}

export type WindowState = 'ok' | 'near' | 'limited' | 'expired' | 'unlimited' | 'unreadable';

const NEAR = 0.8;

/** What the next event of a project would meet at `now` (unix seconds). */
export const windowState = (value: string, { limit, periodSeconds }: Limit, now: number): WindowState => {
  if (limit === 0) return 'unlimited';
  const match = /(\d+):(\d+)/.exec(value);
  if (!match) return 'unreadable';
  const [start, count] = [Number(match[1]), Number(match[2])];
  if (now - start >= periodSeconds) return 'expired';
  if (count + 1 > limit) return 'limited';
  return count >= limit * NEAR ? 'near' : 'ok';
};
