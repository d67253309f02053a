'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { FigureRow } from '@/components/patterns/figure-row';
import { PageHeader } from '@/components/patterns/page-header';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { rangeOf } from '@/components/patterns/ranges';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import { OnlineList } from './online-list';
import classes from './presence.module.css';
import { PresenceHistory } from './presence-history';
import { presenceQueries } from './queries';

const FIELDS = { q: '', range: '24h' };

/** Who is online now, and how many were over time. */
export const PresencePage = () => {
  const t = useTranslations('presence');
  const { id } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS);
  const query = useInfiniteQuery(presenceQueries.online(id, url.q));
  const [first] = query.data?.pages ?? [];
  const figures = [
    { id: 'online', name: t('figure.online'), value: first?.online, note: t('figure.onlineNote') },
    {
      id: 'withoutProfile',
      name: t('figure.withoutProfile'),
      value: first?.withoutProfile,
      note: t(first?.withoutProfile === null ? 'figure.tooMany' : 'figure.withoutProfileNote'),
    },
  ];
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      {query.isError && !query.data ? (
        <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
          <FigureRow label={t('figure.label')} figures={figures} loading={query.isPending} />
          <div className={classes.columns}>
            <OnlineList query={query} q={url.q} onSearch={(q) => setUrl({ q })} />
            <PresenceHistory range={rangeOf(url.range)} onRange={(range) => setUrl({ range })} />
          </div>
        </>
      )}
    </>
  );
};
