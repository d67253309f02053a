import 'server-only';
import { OWN_APP } from '@/lib/catalog/guarded';
import { iso } from '@/lib/time';
import { familyName } from './families';
import type { FamilyFigures } from './schema';
import { findingsOf, readSection } from './section';
import type { Source } from './source';

const MAX_UNCLASSIFIED = 0.05;

/** Keys per family, as the last census counted them. */
export const readKeys = (source: Source) =>
  readSection(async () => {
    const census = await source.census();
    if (!census) return 'notCounted' as const;
    const { catalog } = source.ctx;
    const families = Object.entries(census.families)
      .filter(([id, { keys }]) => keys > 0 && catalog.get(id)?.app !== OWN_APP)
      .map(
        ([id, { keys, memoryBytes, withoutTtl, ttls }]): FamilyFigures => ({
          ...familyName(catalog, id),
          ...{ keys, memoryBytes, withoutTtl, missingTtl: ttls?.missing ?? 0 },
        }),
      )
      .sort((a, b) => b.keys - a.keys || (a.family < b.family ? -1 : 1));
    const { unclassified, malformed } = census;
    const sum = (of: 'keys' | 'withoutTtl' | 'missingTtl'): number =>
      families.reduce((total, family) => total + family[of], 0);
    const keys = sum('keys') + unclassified;
    return {
      figures: {
        countedAt: iso(census.finishedAt),
        ...{ keys, withoutTtl: sum('withoutTtl'), unclassified, malformed, families },
      },
      findings: findingsOf({
        unclassified: unclassified > MAX_UNCLASSIFIED * keys,
        withoutTtl: sum('missingTtl') > 0,
      }),
    };
  });
