import type { FamilyRow } from '@/lib/families/schema';

const MAX_SHOWN = 8;

type Misses = Pick<FamilyRow, 'family' | 'missesPerSecond' | 'misses'>;

/** Families with misses in the last hour, most misses per second first; families without a figure are left out. */
export const mostMisses = <Row extends Misses>(rows: readonly Row[]): Row[] =>
  rows
    .filter(({ misses }) => misses !== null && misses > 0)
    .toSorted(
      (a, b) =>
        (b.missesPerSecond ?? 0) - (a.missesPerSecond ?? 0) ||
        b.misses! - a.misses! ||
        a.family.localeCompare(b.family),
    )
    .slice(0, MAX_SHOWN);
