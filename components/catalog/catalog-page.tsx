'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { UnknownName } from '@/components/patterns/unknown-name';
import { useNarrow } from '@/components/patterns/use-narrow';
import { useUrlState } from '@/components/patterns/use-url-state';
import { WalkLine } from '@/components/patterns/walk-line';
import { CoverageTiles } from './coverage-tiles';
import { DriftTab } from './drift-tab';
import { EntitiesTab } from './entities-tab';
import { FamiliesTab } from './families-tab';
import { OverlapsTab } from './overlaps-tab';
import { catalogQuery } from './queries';
import { SourcesTab } from './sources-tab';
import { UnclassifiedTab } from './unclassified-tab';

const FamilyDrawer = onDemand(async () => (await import('./family-drawer')).FamilyDrawer);
const ProposalDrawer = onDemand(async () => (await import('./proposal-drawer')).ProposalDrawer);

const TABS = ['families', 'unclassified', 'overlaps', 'drift', 'sources', 'entities'] as const;

const FIELDS = { tab: 'families', q: '', app: '', order: 'desc', family: '', job: '' };
const STEPS = { tabs: ['tab'], opens: ['family', 'job'] } as const;

export const CatalogPage = () => {
  const t = useTranslations('catalog');
  const { id } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const { data: catalog, error, dataUpdatedAt } = useQuery(catalogQuery(id));
  const isNarrow = useNarrow();
  const tab = TABS.find((id) => id === url.tab) ?? 'families';
  const { q, app, order } = url;
  const filter = useMemo(() => ({ q, app, order }), [q, app, order]);
  const openFamily = useCallback((family: string) => setUrl({ family }), [setUrl]);
  const openRow = useCallback(({ id: family }: { id: string }) => setUrl({ family }), [setUrl]);
  const openJob = useCallback((job: string) => setUrl({ job }), [setUrl]);
  const isMissing =
    catalog && url.family !== '' && !catalog.families.some((family) => family.id === url.family);
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <StaleBanner error={error} valuesFrom={dataUpdatedAt} />
      <CoverageTiles catalog={catalog} />
      {!isNarrow && <WalkLine connection={id} />}
      {isMissing && (
        <UnknownName text={t('families.notFound')} name={url.family} onClose={() => setUrl({ family: '' })} />
      )}
      <PageTabs
        tabs={TABS}
        value={tab}
        label={(id) => t(`tabs.${id}`)}
        onTab={(next) => setUrl({ tab: next, q: '', app: '' })}
      >
        {tab === 'families' && (
          <FamiliesTab catalog={catalog} filter={filter} onFilter={setUrl} onOpen={openRow} />
        )}
        {tab === 'unclassified' && <UnclassifiedTab catalog={catalog} onJob={openJob} />}
        {tab === 'overlaps' && <OverlapsTab catalog={catalog} />}
        {tab === 'drift' && <DriftTab catalog={catalog} onFamily={openFamily} />}
        {tab === 'sources' && <SourcesTab catalog={catalog} />}
        {tab === 'entities' && <EntitiesTab catalog={catalog} />}
      </PageTabs>
      <FamilyDrawer catalog={catalog} family={url.family} onFamily={openFamily} />
      <ProposalDrawer jobId={url.job || null} onClose={() => setUrl({ job: '' })} />
    </>
  );
};
