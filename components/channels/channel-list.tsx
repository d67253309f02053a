'use client';

import { Badge, Group } from '@mantine/core';
import { IconBroadcast, IconEye, IconEyeOff } from '@tabler/icons-react';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import {
  actionsColumn,
  countColumn,
  perSecondColumn,
  textColumn,
} from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { pagesOf } from '@/components/data-table/query-pages';
import { RowButton } from '@/components/data-table/row-button';
import { Dimmed } from '@/components/patterns/dimmed';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { KeyText } from '@/components/patterns/hostile-text';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useFormat } from '@/components/patterns/use-format';
import type { ChannelRow, channelContracts } from '@/lib/channels/schema';
import type { Result } from '@/lib/contract';
import { visibleText } from '@/lib/visible-text';
import { keyOf } from './watched';

type Page = Result<typeof channelContracts.list>;

interface ChannelListProps {
  query: UseInfiniteQueryResult<InfiniteData<Page>>;
  rows: ChannelRow[];
  q: string;
  onSearch: (q: string) => void;
  followed: ReadonlySet<string>;
  onToggle: (row: ChannelRow) => void;
}

/** Names longer than 4 KiB have no id, so those that look alike share a row. */
const idOf = (row: ChannelRow): string => keyOf({ kind: row.kind, id: row.channelId ?? row.channel });

const useColumns = ({ followed, onToggle }: ChannelListProps): DataColumn<ChannelRow>[] => {
  const t = useTranslations('channels');
  const tWord = useTranslations('words');
  return useMemo(
    () => [
      {
        id: 'channel',
        header: tWord('channel'),
        width: 240,
        pinned: true,
        cell: ({ channel, kind }) => (
          <Group gap={6} wrap="nowrap">
            <KeyText max={80}>{channel}</KeyText>
            {kind !== 'channel' && <Badge color="gray">{t(`kind.${kind}`)}</Badge>}
          </Group>
        ),
      },
      textColumn({
        id: 'family',
        header: tWord('family'),
        width: 170,
        of: ({ familyTitle }) => familyTitle,
      }),
      countColumn({
        id: 'subscribers',
        header: t('column.subscribers'),
        width: 105,
      }),
      perSecondColumn({
        id: 'rate',
        header: tWord('messages'),
        width: 90,
        of: (row) => row.messagesPerSecond,
      }),
      actionsColumn({
        width: 56,
        cell: (row) => {
          const isFollowed = followed.has(idOf(row));
          const verb = isFollowed ? 'stop' : 'watch';
          return (
            row.channelId !== null && (
              <RowButton
                hint={t(`${verb}.verb`)}
                label={t(`${verb}.of`, { channel: visibleText(row.channel, 60) })}
                icon={isFollowed ? <IconEyeOff size={16} /> : <IconEye size={16} />}
                onClick={() => onToggle(row)}
              />
            )
          );
        },
      }),
    ],
    [t, followed, onToggle, tWord],
  );
};

/** Active channels by family; each can be watched. */
export const ChannelList = (props: ChannelListProps) => {
  const { query, rows, q, onSearch } = props;
  const t = useTranslations('channels');
  const tWord = useTranslations('words');
  const columns = useColumns(props);
  const first = query.data?.pages[0];
  return (
    <div>
      <FilterBar
        search={<SearchField value={q} onChange={onSearch} label={t('search')} noSecrets />}
        onClear={q ? () => onSearch('') : undefined}
        status={first ? <Summary page={first} /> : NO_STATUS}
      />
      {query.isError && !query.data ? (
        <QueryProblem of={query} />
      ) : (
        <>
          <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
          <DataTable
            {...pagesOf(query)}
            label={tWord('channels')}
            name="channels"
            columns={columns}
            rows={rows}
            rowId={idOf}
            live={[q]}
            empty={{
              icon: IconBroadcast,
              title: t(q ? 'empty.filtered' : 'empty.title'),
              text: t(q ? 'empty.noMatch' : 'empty.text'),
            }}
          />
          {first && <OthersWithPatterns page={first} />}
        </>
      )}
    </div>
  );
};

/** How many channels there are. */
const Summary = ({ page: { active, complete, patterns } }: { page: Page }) => {
  const t = useTranslations('channels.summary');
  return [t(complete ? 'active' : 'incomplete', { count: active }), t('patterns', { count: patterns })].join(
    ' · ',
  );
};

/** Says that Redis does not reveal the patterns of other clients. */
const OthersWithPatterns = ({ page: { patternClients } }: { page: Page }) => {
  const t = useTranslations('channels.summary');
  const format = useFormat();
  return (
    <Dimmed mt="xs">
      {patternClients === null
        ? t('clientsUnknown')
        : t('clients', { count: format.count(patternClients), n: patternClients })}
    </Dimmed>
  );
};
