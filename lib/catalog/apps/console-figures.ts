import type { Family } from '../family';
import { DAY, HOUR, own, within } from './console-own';

/** What was measured of connections. */
export const figureFamilies = {
  live: own('live:{connection}', 'stream', within(1, DAY), {
    title: 'Live points',
    purpose: 'The last samples of a connection, one a second.',
  }),
  history: own('history:{connection}:{resolution}', 'stream', 'any', {
    title: 'History',
    purpose: 'Samples of a connection at one resolution.',
  }),
  historyEvents: own('history-events:{connection}', 'stream', 'any', {
    title: 'History events',
    purpose: 'Restarts and outages of a connection.',
  }),
  ownTraffic: own('own-traffic:{connection}', 'hash', 'any', {
    title: 'Own traffic',
    purpose: "The console's own hits and misses on a connection, taken out of its hit rate.",
  }),
  hitRates: own('hit-rates:{connection}:{resolution}', 'stream', within(DAY, 400 * DAY), {
    title: 'Hit rates',
    purpose: 'Hits and misses per family of a connection, by source and resolution.',
  }),
  sampling: own('sampling:{connection}', 'hash', 'persistent', {
    title: 'Sampling',
    purpose: 'Whether hit rates are sampled live, who agreed to it, and what is to be put back.',
  }),
  familyTtls: own('family-ttls:{connection}', 'hash', within(HOUR, 7 * DAY), {
    title: 'TTLs per family',
    purpose: 'When the keys of each family expire, at the last count.',
  }),
  cacheCounters: own('cache-counters:{connection}', 'string', within(HOUR, 7 * DAY), {
    title: 'Cache counters',
    purpose: "The application's own counters of hits and misses, found at the last count.",
  }),
  census: own('census:{connection}', 'string', 'any', {
    title: 'Census',
    purpose: 'Keys per family at the last count.',
  }),
  sessionStats: own('session-stats:{connection}', 'string', within(60, 7 * DAY), {
    title: 'Session counts',
    purpose: 'Sessions by state and tokens by kind at the last count.',
  }),
  aftermath: own('aftermath:{id}', 'string', 'any', {
    title: 'Aftermaths',
    purpose: 'How misses went after an invalidation, kept as long as its audit entry.',
  }),
  aftermaths: own('aftermaths', 'zset', 'persistent', {
    title: 'Aftermaths under way',
    purpose: 'Invalidations whose misses are still followed, by when that ends.',
  }),
  ipWatch: own('ip-watch:{connection}', 'string', within(1, DAY), {
    title: 'Callers now',
    purpose: "Samples of the error collector's present period: its heaviest callers, and when periods ended.",
  }),
  ipPeriods: own('ip-periods:{connection}', 'stream', within(1, DAY), {
    title: 'Callers of past periods',
    purpose: "The heaviest callers of the error collector's last periods, whose map it has deleted.",
  }),
  ipCallers: own('ip-callers:{connection}:{seen}', 'zset', within(1, 7 * DAY), {
    title: 'Callers by when they were seen',
    purpose: 'When each of the heaviest callers was first and last seen.',
  }),
  guardHistory: own('guard-history:{connection}:{resolution}', 'stream', 'any', {
    title: 'History of the guard',
    purpose: 'Blocked projects, blacklisted addresses and limited projects over time, at one resolution.',
  }),
} as const satisfies Record<string, Family>;
