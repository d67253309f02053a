import { type Family, family } from '../family';
import { hex24, oneOf, segment } from '../grammar';
import { literalPattern } from '../pattern';

/** The names of the error collector's keys, which its own variables configure. */
export interface HawkNames {
  readonly disabledProjects: string;
  readonly blacklistIps: string;
  readonly allIps: string;
  readonly currentPeriod: string;
}

/** The collector's own defaults. */
export const DEFAULT_HAWK_NAMES: HawkNames = {
  disabledProjects: 'DisabledProjectsSet',
  blacklistIps: 'BlacklistIPsSet',
  allIps: 'AllIPsMap',
  currentPeriod: 'CurrentPeriodMap',
};

const PERIODS = ['minutely', 'hourly', 'daily'] as const;

/** The error collector's families. Only `rate_limits` and the time series have fixed names. */
export const hawkFamilies = (names: HawkNames): readonly Family[] => [
  family({
    id: 'hawk.disabled-projects',
    pattern: literalPattern(names.disabledProjects),
    examples: [names.disabledProjects],
    type: 'set',
    ttl: 'persistent',
    role: 'block-list',
    parts: { id: { member: 'text' } },
    title: 'Blocked projects',
    purpose: 'Ids of projects whose events are refused; reloaded by the collector every few seconds.',
  }),
  family({
    id: 'hawk.blacklist-ips',
    pattern: literalPattern(names.blacklistIps),
    examples: [names.blacklistIps],
    type: 'set',
    ttl: 'persistent',
    role: 'ban-list',
    parts: { address: { member: 'text' } },
    title: 'IP blacklist',
    purpose: 'Addresses answered with 429. Added by people only: crossing the threshold adds nothing.',
  }),
  family({
    id: 'hawk.all-ips',
    pattern: literalPattern(names.allIps),
    examples: [names.allIps],
    type: 'hash',
    ttl: 'none',
    role: 'request-counts',
    title: 'Requests per IP',
    purpose: 'Requests per X-Forwarded-For text, in total.',
  }),
  family({
    id: 'hawk.current-period',
    pattern: literalPattern(names.currentPeriod),
    examples: [names.currentPeriod],
    type: 'hash',
    ttl: 'none',
    role: 'period-request-counts',
    title: 'Requests per IP, current period',
    purpose: 'Requests per X-Forwarded-For text in this period; deleted at every blacklist update.',
  }),
  family({
    id: 'hawk.rate-limits',
    pattern: 'rate_limits',
    examples: ['rate_limits'],
    type: 'hash',
    ttl: 'none',
    role: 'rate-limit',
    title: 'Rate limits',
    purpose: 'Per project: start of its window and events in it, as timestamp:count.',
  }),
  family({
    id: 'hawk.ts-project',
    pattern: 'ts:project-{metric}:{id}:{period}',
    examples: ['ts:project-events-accepted:6762b5db032b200023854b2c:hourly'],
    params: { metric: segment, id: hex24, period: oneOf('time-series-period', PERIODS) },
    type: 'timeseries',
    ttl: 'any',
    role: 'project-metrics',
    parts: { metric: { param: 'metric' }, id: { param: 'id' }, period: { param: 'period' } },
    title: 'Project time series',
    purpose: 'Events of a project over time, where RedisTimeSeries is loaded.',
  }),
];
