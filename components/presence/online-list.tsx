'use client';

import { IconUserCheck } from '@tabler/icons-react';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { DataTable } from '@/components/data-table/data-table';
import { ScanFooter } from '@/components/data-table/scan-footer';
import { useFirstRows } from '@/components/data-table/use-first-rows';
import { useScanPages } from '@/components/data-table/use-scan-pages';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { KeyLink } from '@/components/patterns/key-link';
import { onDemand } from '@/components/patterns/on-demand';
import { useOpened } from '@/components/patterns/use-opened';
import { useMay } from '@/components/patterns/viewer';
import type { Result } from '@/lib/contract';
import type { OnlineUser, presenceContracts } from '@/lib/presence/schema';
import { useOnlineColumns } from './online-columns';

const OfflineDrawer = onDemand(
  async () => (await import('@/components/patterns/offline-drawer')).OfflineDrawer,
);

type OnlinePage = Result<typeof presenceContracts.get> & { examined: number; keys: number };

interface OnlineListProps {
  query: UseInfiniteQueryResult<InfiniteData<OnlinePage>>;
  q: string;
  onSearch: (q: string) => void;
}

const idOf = ({ memberId }: OnlineUser): string => memberId;

/** What cannot be an id is shown changed or masked, so its member is named by its bytes. */
const namedBy = (user: OnlineUser | null) =>
  user && !user.linkable ? { memberId: user.memberId } : { userId: user?.id ?? '' };

/** The users online, with their profiles. */
export const OnlineList = ({ query, q, onSearch }: OnlineListProps) => {
  const t = useTranslations('presence');
  const found = useScanPages(query, idOf);
  const searching = useFirstRows(query, found);
  const offline = useOpened<OnlineUser>();
  const mayWrite = useMay('keys:write');
  const columns = useOnlineColumns(mayWrite ? offline.open : undefined);
  const [first] = query.data?.pages ?? [];
  return (
    <div>
      <FilterBar
        search={<SearchField value={q} onChange={onSearch} label={t('search')} />}
        onClear={q ? () => onSearch('') : undefined}
        status={
          first
            ? t.rich('listed', {
                key: () => (
                  <KeyLink keyId={first.keyId} underline="always">
                    {first.key}
                  </KeyLink>
                ),
              })
            : NO_STATUS
        }
      />
      <DataTable
        {...found.pages}
        label={t('label')}
        name="online"
        columns={columns}
        rows={found.rows}
        rowId={idOf}
        loading={found.pages.loading || searching}
        hasMore={query.hasNextPage && !found.paused}
        live={[q]}
        empty={
          <EmptyState icon={<IconUserCheck size={20} />} title={t(q ? 'empty.filtered' : 'empty.title')}>
            {t(q ? (found.paused ? 'empty.soFar' : 'empty.noMatch') : 'empty.text')}
          </EmptyState>
        }
      />
      {query.data && query.hasNextPage && !searching && (
        <ScanFooter more={t('goOn')} paused={found.paused} onMore={found.goOn}>
          {t('more')}
        </ScanFooter>
      )}
      <OfflineDrawer
        key={offline.key}
        user={offline.about}
        named={namedBy(offline.about)}
        opened={offline.opened}
        onClose={offline.close}
        onClosed={offline.forget}
      />
    </div>
  );
};
