'use client';

import { SegmentedControl, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Panel } from '@/components/patterns/panel';
import { QueryProblem } from '@/components/patterns/query-problem';
import { RelativeTime } from '@/components/patterns/relative-time';
import { ENDS, type End, type QueueEntry } from '@/lib/queues/schema';
import { queueQueries } from './queries';
import { Preview } from './queue-figures';
import classes from './queues.module.css';

interface PeekPanelProps {
  keyId: string;
  oldestAt: End;
  /** A stream keeps its entries after they have been read. */
  isStream: boolean;
}

/** Elements from either end of a queue, which keeps them. */
export const PeekPanel = ({ keyId, oldestAt, isStream }: PeekPanelProps) => {
  const t = useTranslations('queues.peek');
  const means = useTranslations('queues.problemMeans');
  const { id } = useConnection();
  const [chosen, setChosen] = useState<End | null>(null);
  const from = chosen ?? oldestAt;
  const query = useQuery(queueQueries.peek(id, keyId, from));
  const { data } = query;
  return (
    <Panel
      title={t(isStream ? 'entries' : 'title')}
      note={
        <SegmentedControl
          size="xs"
          aria-label={t('choose')}
          value={from}
          onChange={(end) => setChosen(end as End)}
          data={ENDS.map((end) => ({ value: end, label: t(end) }))}
        />
      }
    >
      {query.isPending && <Skeleton height={120} radius="md" />}
      {query.isError && !data && <QueryProblem of={query} />}
      {data?.items.length === 0 && <Dimmed>{data.problem ? means(data.problem) : t('empty')}</Dimmed>}
      {data && data.items.length > 0 && (
        <ol className={classes.entries} aria-label={t(`label.${from}`)} aria-busy={query.isPlaceholderData}>
          {data.items.map((entry, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an element has no other identity than its place
            <li key={i}>
              <Preview entry={entry} max={400} />
              <EntryFacts entry={entry} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
};

const EntryFacts = ({ entry: { entryId, score, at } }: { entry: QueueEntry }) => {
  const t = useTranslations('queues.peek');
  if (entryId === null && score === null && at === null) return null;
  return (
    <Dimmed size="xs" component="div">
      {entryId !== null && <code>{entryId}</code>}
      {score !== null && t('score', { score })}
      {at !== null && (
        <>
          {(entryId !== null || score !== null) && ' · '}
          <RelativeTime at={at} />
        </>
      )}
    </Dimmed>
  );
};
