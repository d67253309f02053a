import type { HistoryEvent } from '@/lib/history/schema';
import type { FamilyChange, HitRateChange } from '@/lib/hit-rates/schema';

/** A family with less of the additional misses explains nothing. */
const MIN_SHARE = 0.05;
const SHORTLY_BEFORE_MS = 5 * 60_000;
/** Windows are minutes apart: a rate may be seen to change slightly before the event that changed it. */
const SLACK_MS = 60_000;

export type DropAnswer =
  /** Windows of one period are missing, so nothing is known by family. */
  | { kind: 'notObserved'; period: 'before' | 'now' | 'both' }
  /** No family has enough look-ups in both periods. */
  | { kind: 'tooFew' }
  /** No family misses more than before. */
  | { kind: 'noIncrease' }
  /** One family has the largest share; `certain` when its hit rates differ by more than their errors. */
  | { kind: 'family'; family: FamilyChange; share: number; certain: boolean; event: HistoryEvent | null };

/**
 * The event that came last before a family's hit rate changed: at most five minutes before, or a minute after. An event
 * about the family itself wins. It is no proof of a cause.
 */
export const eventBefore = (
  events: readonly HistoryEvent[],
  family: string,
  since: string,
): HistoryEvent | null => {
  const at = Date.parse(since);
  const near = events.filter((event) => {
    const before = at - Date.parse(event.at);
    return before <= SHORTLY_BEFORE_MS && before >= -SLACK_MS;
  });
  const candidates = near.filter((event) => event.family === null || event.family === family);
  return candidates.findLast((event) => event.family === family) ?? candidates.at(-1) ?? null;
};

const notObserved = ({ windows, families, tooFew }: HitRateChange): 'before' | 'now' | 'both' | null => {
  const counted = [...families, ...tooFew].some(({ source }) => source === 'counters');
  const [before, now] = [windows.before.seconds > 0, windows.now.seconds > 0];
  if (counted || (before && now)) return null;
  return before ? 'now' : now ? 'before' : 'both';
};

/** What a comparison says in one sentence. `families` come with the largest share first. */
export const answerOf = (change: HitRateChange): DropAnswer => {
  const period = notObserved(change);
  if (period) return { kind: 'notObserved', period };
  const { families, tooFew, events, instance } = change;
  if (families.length === 0) return { kind: tooFew.length > 0 ? 'tooFew' : 'noIncrease' };
  // The largest certain share answers; without a certain one the largest.
  const more = families.filter(({ share }) => share !== null && share >= MIN_SHARE);
  const family = more.find(({ certain }) => certain) ?? more[0];
  const fewer = (instance.additionalMissesPerSecond ?? 1) <= 0;
  if (!family || (fewer && !family.certain)) return { kind: 'noIncrease' };
  const event = family.since && family.certain ? eventBefore(events, family.family, family.since) : null;
  return { kind: 'family', family, share: family.share!, certain: family.certain, event };
};
