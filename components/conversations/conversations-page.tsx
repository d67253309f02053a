'use client';

import { IconMessages } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { DataTable } from '@/components/data-table/data-table';
import { ScanFooter } from '@/components/data-table/scan-footer';
import { useFirstRows } from '@/components/data-table/use-first-rows';
import { useScanPages } from '@/components/data-table/use-scan-pages';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { entityKindsQuery } from '@/components/patterns/entity-kinds-query';
import { entityHref } from '@/components/patterns/entity-link';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { kindLabel } from '@/components/patterns/kind-label';
import { PageHeader } from '@/components/patterns/page-header';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useFormat } from '@/components/patterns/use-format';
import { useUrlState } from '@/components/patterns/use-url-state';
import type { ConversationRow } from '@/lib/conversations/schema';
import type { EntityKindRow } from '@/lib/entities/schema';
import { useRoomColumns } from './conversation-columns';
import { conversationQueries, type RoomFilter } from './queries';

const FIELDS: { kind: string; q: string } = { kind: '', q: '' };
const NO_KINDS: EntityKindRow[] = [];

const idOf = ({ app, kind, id }: ConversationRow): string => JSON.stringify([app, kind, id]);

/** The conversations of a connection, as a scan finds them. */
export const ConversationsPage = () => {
  const t = useTranslations('conversations.rooms');
  const [filter, setFilter] = useUrlState(FIELDS);
  const { id } = useConnection();
  const all = useQuery(entityKindsQuery(id)).data?.items ?? NO_KINDS;
  const kinds = all.filter(({ conversation }) => conversation);
  const isFiltered = filter.kind !== '' || filter.q !== '';
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <FilterBar
        search={<SearchField value={filter.q} onChange={(q) => setFilter({ q })} label={t('search')} />}
        active={filter.kind ? 1 : 0}
        onClear={isFiltered ? () => setFilter(FIELDS) : undefined}
      >
        <FilterSelect
          label={t('kind')}
          any={t('anyKind')}
          data={kinds.map((each) => ({ value: each.ref, label: kindLabel(kinds, each) }))}
          value={filter.kind}
          onChange={(kind) => setFilter({ kind })}
        />
      </FilterBar>
      <RoomList filter={filter} isFiltered={isFiltered} kinds={kinds} />
    </>
  );
};

interface RoomListProps {
  filter: RoomFilter;
  isFiltered: boolean;
  kinds: readonly EntityKindRow[];
}

const RoomList = ({ filter, isFiltered, kinds }: RoomListProps) => {
  const t = useTranslations('conversations.rooms');
  const { id: connection } = useConnection();
  const router = useRouter();
  const format = useFormat();
  const query = useInfiniteQuery(conversationQueries.rooms(connection, filter));
  const found = useScanPages(query, idOf);
  const searching = useFirstRows(query, found);
  const columns = useRoomColumns(kinds);
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  const emptyText = found.paused ? 'soFar' : isFiltered ? 'filtered' : 'none';
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <DataTable
        {...found.pages}
        label={t('label')}
        name="rooms"
        columns={columns}
        rows={found.rows}
        rowId={idOf}
        loading={found.pages.loading || searching}
        hasMore={query.hasNextPage && !found.paused}
        onOpen={(room) => {
          if (room.linkable) router.push(entityHref(connection, room));
        }}
        empty={
          <EmptyState icon={<IconMessages size={20} />} title={t(`empty.${emptyText}.title`)}>
            {t(`empty.${emptyText}.text`)}
          </EmptyState>
        }
      />
      {query.data && !searching && (
        <ScanFooter more={t('goOn')} paused={found.paused} onMore={found.goOn}>
          {t(query.hasNextPage ? 'examined' : 'examinedAll', {
            count: format.count(found.examined),
            total: format.count(found.keys),
          })}
        </ScanFooter>
      )}
    </>
  );
};
