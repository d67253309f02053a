import 'server-only';
import { MINUTE } from '@/lib/time';
import type { FamilyTtls } from './family-ttls';

/** A wave has at least this many keys, and this share of the family's keys with a TTL. */
const MIN_KEYS = 50;
const MIN_SHARE = 0.2;

/** Keys of one family that will expire together. */
export interface Wave {
  family: string;
  /** Epoch ms. */
  at: number;
  widthMs: number;
  keys: number;
}

/** The waves of a family that begin within a period, epoch ms. Keys further ahead are counted in wider bins. */
export const wavesIn = (
  family: string,
  ttls: Pick<FamilyTtls, 'expiries' | 'withTtl'>,
  from: number,
  to: number,
  maxWidthMs = MINUTE,
): Wave[] =>
  ttls.expiries
    .filter(
      ([start, widthMs, keys]) =>
        start >= from &&
        start < to &&
        widthMs <= maxWidthMs &&
        keys >= Math.max(MIN_KEYS, MIN_SHARE * ttls.withTtl),
    )
    .map(([at, widthMs, keys]) => ({ family, at, widthMs, keys }));
