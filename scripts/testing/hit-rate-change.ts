import type { HistoryEvent } from '@/lib/history/schema';
import type { FamilyChange, HitRateChange } from '@/lib/hit-rates/schema';
import { countsOf } from './rate-row';

/** The nth minute of 2026-01-01, 09:00 UTC. */
export const minute = (n: number): string => new Date(Date.UTC(2026, 0, 1, 9, n)).toISOString();

const sideOf = (hits: number, misses: number) => ({
  ...countsOf(hits, misses, 10),
  missesPerSecond: misses / 10,
});

/** A family whose rate fell from 90 % to 20 % at 09:14, with 82 % of the additional misses. */
export const familyChange = (family: string, change: Partial<FamilyChange> = {}): FamilyChange => ({
  family,
  title: family,
  cache: true,
  source: 'sample',
  before: sideOf(900, 100),
  now: sideOf(200, 800),
  additionalMissesPerSecond: 70,
  share: 0.82,
  certain: true,
  since: minute(14),
  ttl: { documented: '1 h', seconds: 3600 },
  keys: 120,
  nextExpiry: null,
  ...change,
});

export const eventOf = (at: string, change: Partial<HistoryEvent> = {}): HistoryEvent => ({
  at,
  kind: 'invalidation',
  text: 'shouts: 120 keys',
  auditId: 'audit-1',
  href: null,
  family: null,
  ...change,
});

/** 09:10–09:30 compared with the 20 minutes before. */
export const changeOf = (change: Partial<HitRateChange> = {}): HitRateChange => ({
  now: { from: minute(10), to: minute(30) },
  before: { from: minute(-10), to: minute(10) },
  instance: {
    before: { hits: 9000, misses: 1000, hitRate: 0.9 },
    now: { hits: 7000, misses: 3000, hitRate: 0.7 },
    additionalMissesPerSecond: 85,
  },
  families: [familyChange('shouts')],
  tooFew: [],
  notAttributed: {
    before: { misses: 0, missesPerSecond: 0 },
    now: { misses: 0, missesPerSecond: 0 },
    share: 0,
  },
  windows: { before: { taken: 20, seconds: 20 }, now: { taken: 20, seconds: 20 } },
  events: [eventOf(minute(13))],
  ...change,
});
