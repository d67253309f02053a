'use client';

import { useTranslations } from 'next-intl';
import { type ComponentType, useMemo } from 'react';
import { JobDrawer } from '@/components/patterns/job-drawer-on-demand';
import { onDemand } from '@/components/patterns/on-demand';
import { TextLink } from '@/components/patterns/text-link';
import { useLast } from '@/components/patterns/use-last';
import { useMay } from '@/components/patterns/viewer';
import type { FamilyRow } from '@/lib/families/schema';
import { DRAFT_FIELDS } from './draft';
import { useRefusal } from './may-invalidate';

const FamilyDrawer = onDemand(async () => (await import('./family-drawer')).FamilyDrawer);
const InvalidationDrawer = onDemand(
  async () => (await import('./invalidation-drawer')).TargetInvalidationDrawer,
);
const TtlDrawer = onDemand(async () => (await import('./ttl-drawer')).TargetTtlDrawer);

/** The drawers' fields in the address. `do` is `invalidate`, `ttl` or empty, which only shows `family`. */
export const DRAWER_FIELDS = { ...DRAFT_FIELDS, do: '', ttl: '', jitter: '', job: '' };
type Fields = typeof DRAWER_FIELDS;

interface CacheDrawersProps {
  families: readonly FamilyRow[];
  loaded: boolean;
  url: Fields;
  setUrl: (change: Partial<Fields>) => void;
  FamilyFigures: ComponentType<{ family: string }>;
}

/** The drawers of a family, of its changes and of their job. One is open at a time. */
export const CacheDrawers = ({ families, loaded, url, setUrl, FamilyFigures }: CacheDrawersProps) => {
  const tWord = useTranslations('words');
  const refusal = useRefusal();
  const mayInvalidate = useMay('caches:invalidate');
  const chosen = families.find((family) => family.family === url.family) ?? null;
  const family = useLast(chosen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a role does not change while the page is open
  const offered = useMemo(() => families.filter((family) => refusal(family) === null), [families]);
  const refused = !mayInvalidate || (url.by === '' && chosen !== null && refusal(chosen) !== null);
  const doing = url.job === '' && loaded && !refused ? url.do : '';
  const shown = url.job === '' && chosen !== null && (url.do === '' || refused);
  const close = () => setUrl({ ...DRAWER_FIELDS });
  const common = {
    url,
    setUrl,
    families: offered,
    onClose: close,
    onJob: (job: string) => setUrl({ ...DRAWER_FIELDS, job }),
  };
  return (
    <>
      {family && (
        <FamilyDrawer
          family={family}
          refusal={refusal(family)}
          opened={shown}
          onClose={close}
          onInvalidate={() => setUrl({ do: 'invalidate' })}
          onSetTtl={() => setUrl({ do: 'ttl' })}
        >
          {shown && <FamilyFigures family={family.family} />}
        </FamilyDrawer>
      )}
      <InvalidationDrawer {...common} opened={doing === 'invalidate'} />
      <TtlDrawer {...common} opened={doing === 'ttl'} />
      <JobDrawer
        jobId={url.job || null}
        onClose={close}
        links={<TextLink href="/jobs">{tWord('allJobs')}</TextLink>}
      />
    </>
  );
};
