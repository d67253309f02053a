'use client';

import { Alert, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { AddressDrawerProps } from '@/components/contract-list/declare-list';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { Count } from '@/components/patterns/figures';
import { KeyLink } from '@/components/patterns/key-link';
import { QueryProblem } from '@/components/patterns/query-problem';
import { rangeOf } from '@/components/patterns/ranges';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StreamGroups } from '@/components/patterns/stream-groups';
import { useLast } from '@/components/patterns/use-last';
import type { Queue } from '@/lib/queues/schema';
import { visibleText } from '@/lib/visible-text';
import { TtlText } from './key-cell';
import { PeekPanel } from './peek-panel';
import { queueQueries } from './queries';
import { FlowRate, TypeText } from './queue-figures';
import { QueueHistory } from './queue-history';

/** One queue: its figures, its length and rates over time, and what waits at its ends. */
export const QueueDrawer = ({ id: keyId, url, onChange, onClose }: AddressDrawerProps) => {
  const t = useTranslations('queues');
  const { id } = useConnection();
  // The drawer keeps its content while it closes.
  const shownId = useLast(keyId || null);
  const query = useQuery({ ...queueQueries.one(id, shownId), enabled: keyId !== '' });
  const shown = query.data?.items[0];
  return (
    <Drawer
      opened={keyId !== ''}
      onClose={onClose}
      inAddress
      width="wide"
      title={shown ? t('drawer.title', { name: visibleText(shown.name, 60) }) : t('queues.column.queue')}
    >
      {shownId !== null && (
        <Stack gap="md">
          {shown && <QueueFacts queue={shown} />}
          {shown?.groups !== undefined && <StreamGroups groups={shown.groups} />}
          {query.isPending && <Skeleton height={220} />}
          {query.isError && !shown && <QueryProblem of={query} />}
          <QueueHistory
            keyId={shownId}
            range={rangeOf(url.range ?? '')}
            onRange={(range) => onChange({ range })}
          />
          <PeekPanel
            key={shownId}
            keyId={shownId}
            oldestAt={shown?.oldestAt ?? 'head'}
            isStream={shown?.type === 'stream'}
          />
          <Dimmed>{t('drawer.measured')}</Dimmed>
        </Stack>
      )}
    </Drawer>
  );
};

const QueueFacts = ({ queue }: { queue: Queue }) => {
  const t = useTranslations('queues');
  const tWord = useTranslations('words');
  const column = useTranslations('queues.queues.column');
  const { ratesAreAtLeast, problem, type } = queue;
  return (
    <>
      {problem && (
        <Alert color="orange" title={t(`problem.${problem}`)}>
          {t(`problemMeans.${problem}`)}
        </Alert>
      )}
      <Facts
        facts={[
          { label: tWord('key'), value: <KeyLink keyId={queue.keyId}>{queue.key}</KeyLink> },
          { label: tWord('family'), value: queue.title },
          { label: tWord('type'), value: <TypeText of={type} /> },
          {
            label: queue.entries === undefined ? tWord('length') : t('peek.title'),
            value: <Count value={queue.length} />,
          },
          queue.entries === undefined
            ? null
            : { label: t('drawer.entries'), value: <Count value={queue.entries} /> },
          {
            label: column('oldest'),
            value: (
              <>
                <RelativeTime at={queue.oldest?.at} />
                {type === 'list' && ` · ${t(`drawer.oldestAt.${queue.oldestAt}`)}`}
              </>
            ),
          },
          { label: t('drawer.in'), value: <FlowRate value={queue.inPerSecond} {...{ ratesAreAtLeast }} /> },
          { label: t('drawer.out'), value: <FlowRate value={queue.outPerSecond} {...{ ratesAreAtLeast }} /> },
          type === 'list'
            ? { label: t('drawer.taken'), value: t(`drawer.takenFrom.${queue.takenFrom ?? 'unknown'}`) }
            : null,
          queue.due === null ? null : { label: column('due'), value: <Count value={queue.due} /> },
          queue.nextDueAt === null
            ? null
            : { label: t('drawer.nextDue'), value: <RelativeTime at={queue.nextDueAt} /> },
          {
            label: column('ttl'),
            value: <TtlText row={queue} />,
          },
        ]}
      />
    </>
  );
};
