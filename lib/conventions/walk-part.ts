import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { fingerprintOf } from '@/lib/keyspace/fingerprint';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { MINUTE, SECOND } from '@/lib/time';
import type { RegularPart } from '@/lib/walk/shared-walk';
import { saveCheck } from './check';
import { ConventionsCollector } from './collector';
import { policyOf } from './policy/policy';
import { readCheck } from './stored-check';

/** Ten times the interval of the census (`lib/sampler`), which grows with the keyspace. */
const checkIntervalMs = (keys: number): number => {
  if (keys < 20_000) return 150 * SECOND;
  return keys < 500_000 ? 20 * MINUTE : 100 * MINUTE;
};

/** Checks the conventions during walks that begin while the last report is old, or from another policy or catalog. */
export const conventionsPart = (store: Store, handle: ConnectionHandle): RegularPart => {
  let collector: ConventionsCollector | null = null;
  return {
    part: 'conventions',
    isDue: async () => {
      const last = await readCheck(store, handle.config.id);
      if (!last || last.policy !== policyOf(handle).source.digest) return true;
      if (last.catalog !== fingerprintOf(catalogOf(handle))) return true;
      return Date.now() - last.at >= checkIntervalMs(last.keys);
    },
    begin: () => {
      collector = new ConventionsCollector(handle);
      return collector;
    },
    done: async (cost) => {
      if (!collector) return;
      const finished = collector;
      collector = null;
      await saveCheck(store, handle, finished, { cost, now: Date.now(), wasRequested: false });
    },
  };
};
