'use client';

import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { entityKindsQuery } from '@/components/patterns/entity-kinds-query';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { EntityKindRow } from '@/lib/entities/schema';
import { FIELDS, kindNamed, STEPS } from './address';
import { EntityPage } from './entity-page';
import { FindTab } from './find-tab';
import type { EntityName } from './queries';

interface EntitiesPageProps {
  /** The messages of a chat or a room, and `below` them what else the entity has. */
  conversation?: (of: EntityName, below: ReactNode) => ReactNode;
}

const CheckTab = onDemand(
  async () => (await import('./check-tab')).CheckTab,
  'idle',
  () => <Skeleton height={400} />,
);

const NONE: EntityKindRow[] = [];

/**
 * The heading gets the focus when another entity is shown, because the link that was followed is gone: a screen reader
 * reads where one is, and Tab goes on from there.
 */
const useFocusOnArrival = (shown: string): RefObject<HTMLSpanElement | null> => {
  const heading = useRef<HTMLSpanElement>(null);
  const before = useRef(shown);
  useEffect(() => {
    if (before.current === shown) return;
    before.current = shown;
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [shown]);
  return heading;
};

/** One entity, where the address names one; otherwise the search for entities and the check of their relations. */
export const EntitiesPage = ({ conversation }: EntitiesPageProps) => {
  const t = useTranslations('entities');
  const { id: connection } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const mayCheck = useMay('analysis:run');
  const { data, error, dataUpdatedAt, refetch } = useQuery(entityKindsQuery(connection));
  const kinds = data?.items ?? NONE;
  const heading = useFocusOnArrival(`${url.kind} ${url.id}`);
  if (url.kind !== '' && url.id !== '') {
    const of = { kind: kindNamed(kinds, url.kind)?.ref ?? url.kind, id: url.id };
    return (
      <EntityPage
        key={`${url.kind} ${url.id}`}
        of={of}
        ready={data !== undefined || error !== null}
        kinds={kinds}
        url={url}
        setUrl={setUrl}
        conversation={conversation}
        heading={heading}
      />
    );
  }
  const tab = url.tab === 'check' && mayCheck ? 'check' : 'find';
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      {data ? (
        <StaleBanner error={error} valuesFrom={dataUpdatedAt} />
      ) : (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      )}
      <PageTabs
        tabs={mayCheck ? ['find', 'check'] : ['find']}
        value={tab}
        label={(each) => t(`tab.${each}`)}
        onTab={(next) => setUrl({ tab: next, q: '', job: '' })}
      >
        {tab === 'find' ? (
          <FindTab kinds={data?.items} url={url} setUrl={setUrl} />
        ) : (
          <CheckTab kinds={data?.items} url={url} setUrl={setUrl} />
        )}
      </PageTabs>
    </>
  );
};
