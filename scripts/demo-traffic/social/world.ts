import { catalogFor } from '@/lib/keyspace/apps-of';
import { type Ledger, ledgerOf } from '../ledger';
import { type Random, seededRandom } from '../random';
import type { TrafficOptions } from '../world';
import { type Activity, activitiesOf } from './activity-model';
import { type Member, membersOf } from './member-model';
import { type VideoWorld, videoWorldOf } from './video-model';

/** The state of the social and the short-video application. Bounded, like `World`. */
export interface SocialWorld {
  random: Random;
  ledger: Ledger;
  /** Unix milliseconds. */
  now(): number;
  members: Member[];
  online: Set<string>;
  activities: Activity[];
  video: VideoWorld;
  hits: number;
  misses: number;
}

const catalog = catalogFor(['qianxun', 'minidouyin']);

/** Keys are built only through the catalog. */
export const key = (family: string, params: Record<string, string | number> = {}): Buffer =>
  catalog
    .mustGet(family)
    .key(Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])));

export const createSocialWorld = (options: TrafficOptions = {}): SocialWorld => {
  const random = seededRandom(options.seed ?? 1);
  const ledger = ledgerOf(random, options.tokensFile);
  const now = options.now ?? Date.now;
  const members = membersOf(random, ledger);
  return {
    random,
    ledger,
    now,
    members,
    online: new Set(),
    activities: activitiesOf(random, members, now()),
    video: videoWorldOf(random, ledger, now()),
    hits: 0,
    misses: 0,
  };
};
