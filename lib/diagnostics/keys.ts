import 'server-only';
import type { Census } from '@/lib/history/census';
import { OWN_APP } from '@/lib/keyspace/guarded';
import type { Registry } from '@/lib/keyspace/registry';
import { findingsOf, readSection } from '@/lib/redis/section';
import { iso } from '@/lib/time';
import { familyName } from './families';
import type { FamilyFigures } from './schema';
import type { Source } from './source';

const MAX_UNCLASSIFIED = 0.05;

const familiesOf = ({ families }: Census, catalog: Pick<Registry, 'get'>) =>
  Object.entries(families).filter(([id, { keys }]) => keys > 0 && catalog.get(id)?.app !== OWN_APP);

/** All keys of a census, except the console's own. Each is in a family, unclassified or malformed. */
export const countedKeys = (census: Census, catalog: Pick<Registry, 'get'>): number =>
  familiesOf(census, catalog).reduce(
    (total, [, { keys }]) => total + keys,
    census.unclassified + census.malformed,
  );

/** Keys per family in the last census. */
export const readKeys = (source: Source) =>
  readSection(async () => {
    const census = await source.census();
    if (!census) return 'notCounted' as const;
    const { catalog } = source.ctx;
    const families = familiesOf(census, catalog)
      .map(
        ([id, { keys, memoryBytes, withoutTtl, ttls }]): FamilyFigures => ({
          ...familyName(catalog, id),
          keys,
          memoryBytes,
          withoutTtl,
          missingTtl: ttls?.missing ?? 0,
        }),
      )
      .sort((a, b) => b.keys - a.keys || (a.family < b.family ? -1 : 1));
    const { unclassified, malformed } = census;
    const sum = (of: 'withoutTtl' | 'missingTtl'): number =>
      families.reduce((total, family) => total + family[of], 0);
    const keys = countedKeys(census, catalog);
    return {
      figures: {
        countedAt: iso(census.finishedAt),
        keys,
        withoutTtl: sum('withoutTtl'),
        unclassified,
        malformed,
        families,
      },
      findings: findingsOf({
        unclassified: unclassified > MAX_UNCLASSIFIED * keys,
        withoutTtl: sum('missingTtl') > 0,
      }),
    };
  });
