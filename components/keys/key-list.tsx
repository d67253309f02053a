'use client';

import { IconKeyOff } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo, useState } from 'react';
import type { Selection } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useFirstRows } from '@/components/data-table/use-first-rows';
import { useScanPages } from '@/components/data-table/use-scan-pages';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { keyHref } from '@/components/patterns/key-link';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import type { KeyRow } from '@/lib/keys/schema';
import { useKeyColumns } from './key-columns';
import { isFiltered, type KeyFilter, namedFilter, wireFilter } from './key-filter';
import { keyQueries } from './queries';
import { ScanProgress } from './scan-progress';

const idOf = ({ keyId }: KeyRow): string => keyId;

interface KeyListProps {
  filter: KeyFilter;
  selection: Selection<KeyRow> | undefined;
}

/** The rows of a scan, preceded by the key with exactly the searched name, which a scan may find last. */
const useRows = (filter: KeyFilter) => {
  const { id } = useConnection();
  const query = useInfiniteQuery(keyQueries.list(id, wireFilter(filter)));
  const scanned = useScanPages(query, idOf);
  const { data: named } = useQuery(keyQueries.named(id, namedFilter(filter)));
  const rows = useMemo(
    () => (named ? [named, ...scanned.rows.filter(({ keyId }) => keyId !== named.keyId)] : scanned.rows),
    [named, scanned.rows],
  );
  return { query, found: scanned, rows };
};

/** Keys in the order SCAN returns them, more while scrolling. */
export const KeyList = ({ filter, selection }: KeyListProps) => {
  const tWord = useTranslations('words');
  const connection = useConnection();
  const router = useRouter();
  const { query, found, rows } = useRows(filter);
  const asked = JSON.stringify(wireFilter(filter));
  const [stoppedAt, setStoppedAt] = useState<string | null>(null);
  const columns = useKeyColumns();
  const stopped = query.hasNextPage && (found.paused || stoppedAt === asked);
  const searching = useFirstRows(query, { rows, paused: stopped, pages: found.pages });
  if (query.isError && !query.data) return <QueryProblem of={query} />;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <DataTable
        {...found.pages}
        label={tWord('keys')}
        name="keys"
        savesViews
        columns={columns}
        rows={rows}
        rowId={idOf}
        loading={found.pages.loading || searching}
        hasMore={query.hasNextPage && !stopped}
        onMore={() => {
          if (!stopped) found.pages.onMore?.();
        }}
        onOpen={({ keyId }) => router.push(keyHref(connection.id, keyId))}
        {...(selection && { selection })}
        empty={<NoKeys stopped={stopped} filtered={isFiltered(filter)} />}
      />
      {query.data && (
        <ScanProgress
          examined={found.examined}
          total={query.data.pages.at(-1)?.total == null ? null : found.keys}
          state={stateOf(query.hasNextPage, stopped)}
          busy={query.isFetching}
          onStop={() => setStoppedAt(asked)}
          onMore={() => {
            setStoppedAt(null);
            found.goOn();
          }}
        />
      )}
    </>
  );
};

const stateOf = (hasMore: boolean, stopped: boolean) => {
  if (!hasMore) return 'complete';
  return stopped ? 'stopped' : 'scanning';
};

const NoKeys = ({ stopped, filtered }: { stopped: boolean; filtered: boolean }): ReactNode => {
  const t = useTranslations('keys.empty');
  const why = stopped ? 'soFar' : filtered ? 'filtered' : 'none';
  return (
    <EmptyState icon={<IconKeyOff size={20} />} title={t(`${why}.title`)}>
      {t(`${why}.text`)}
    </EmptyState>
  );
};
