import 'server-only';
import type { FigureSource } from '@/lib/figures/figure';
import { definer, figuresOf } from '@/lib/figures/series';
import { SECOND } from '@/lib/time';
import { recentSamples, requestsByCaller } from './traffic/heavy';
import { newestSizes } from './traffic/history';
import { MAX_SAMPLED_FIELDS } from './traffic/storage';

const define = definer({ labels: [], permission: 'guard:view' });

/** Roles of which at least one makes a connection have a guard. */
const ROLES = ['block-list', 'ban-list', 'rate-limit', 'period-request-counts'] as const;

/**
 * The traffic guard as it was last sampled. A period ends before the next sample, so callers of the period before count
 * as well; whether they are banned is known to Redis only.
 */
export const guardFigures: FigureSource = {
  definitions: [
    define('guard_banned_addresses', 'count', 'Banned addresses.'),
    define('guard_blocked_projects', 'count', 'Blocked projects.'),
    define('guard_limited_projects', 'count', 'Projects whose next event is refused by their rate limit.'),
    define('guard_period_requests', 'count', 'Requests in the current period so far.'),
    define('guard_period_addresses', 'count', 'Addresses that sent requests in the current period so far.'),
    define(
      'guard_last_period_requests',
      'count',
      'Requests in the period before, if it ended in the last minute.',
    ),
    define(
      'guard_heaviest_address_requests',
      'count',
      'Requests of the heaviest address, in the current period or the one before.',
    ),
    define(
      'guard_addresses_over_threshold',
      'count',
      `Addresses over the threshold in the current period or the one before, banned or not; at most ${MAX_SAMPLED_FIELDS} are seen in each.`,
    ),
    define(
      'guard_threshold_requests',
      'count',
      'Requests in a period from which an address is over the threshold.',
    ),
    define('guard_period_seconds', 'seconds', 'The length of a period, as configured.'),
  ],
  read: async ({ store, connection, catalog, now }) => {
    if (!ROLES.some((role) => catalog.roles.has(role))) return [];
    const { id, hawk } = connection.config;
    const [sizes, { current, before }] = await Promise.all([
      newestSizes(store, id, now),
      recentSamples(store, id, now),
    ]);
    const requests = [...requestsByCaller([before, current]).values()];
    const known = (current ?? before) !== null;
    const measured = {
      guard_banned_addresses: sizes?.blacklistedIps,
      guard_blocked_projects: sizes?.blockedProjects,
      guard_limited_projects: sizes?.limitedProjects,
    };
    const sampled = {
      guard_period_requests: current?.total,
      guard_period_addresses: current?.fields,
      guard_last_period_requests: before?.total,
      guard_heaviest_address_requests: known ? requests.reduce((a, b) => Math.max(a, b), 0) : null,
      guard_addresses_over_threshold: known
        ? requests.filter((count) => count >= hawk.threshold).length
        : null,
      guard_threshold_requests: known ? hawk.threshold : null,
      guard_period_seconds: known ? hawk.blacklistPeriodMs / SECOND : null,
    };
    return [
      ...figuresOf({ labels: {}, at: sizes?.at ?? now, values: measured }),
      ...figuresOf({ labels: {}, at: current?.at ?? before?.at ?? now, values: sampled }),
    ];
  },
};
