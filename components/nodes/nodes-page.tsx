'use client';

import { IconServer2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { PageHeader } from '@/components/patterns/page-header';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import type { NodeRow } from '@/lib/nodes/schema';
import { useNodeColumns } from './node-columns';
import { nodeQueries } from './queries';

const idOf = ({ id }: NodeRow): string => id;
const NONE: NodeRow[] = [];
const LIVE: readonly unknown[] = [];

/** The servers behind a connection: each primary with its replicas. */
export const NodesPage = () => {
  const t = useTranslations('nodes');
  const { id } = useConnection();
  const query = useQuery(nodeQueries.list(id));
  const rows = query.data?.items ?? NONE;
  const columns = useNodeColumns(rows.some(({ slots }) => slots !== null));
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      {query.isError && !query.data ? (
        <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <StaleBanner error={query.error} valuesFrom={query.data?.readAt} />
          <DataTable
            label={t('title')}
            name="nodes"
            columns={columns}
            rows={rows}
            rowId={idOf}
            loading={query.isPending}
            live={LIVE}
            empty={
              <EmptyState icon={<IconServer2 size={20} />} title={t('none')}>
                {t('noneText')}
              </EmptyState>
            }
          />
        </>
      )}
    </>
  );
};
