'use client';

import { Badge, Code, Text } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { capabilitiesQuery } from '@/components/patterns/impossible';
import { QueryProblem } from '@/components/patterns/query-problem';
import { refetchEvery } from '@/components/patterns/refetch';
import { StaleBanner } from '@/components/patterns/stale-banner';
import type { FeatureRow } from '@/lib/connections/schema';

const REFETCH_MS = 30_000;

const COLORS: Record<FeatureRow['state'], string> = { works: 'green', slower: 'yellow', no: 'red' };

const idOf = ({ id }: FeatureRow): string => id;
const NONE: FeatureRow[] = [];

const ORDER: readonly FeatureRow['state'][] = ['no', 'slower', 'works'];
const worstFirst = (features: readonly FeatureRow[]): FeatureRow[] =>
  features.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));

/** Why a feature does not work, or not as well as it could. */
const Why = ({ of: { missing, reason } }: { of: FeatureRow }) => (
  <>
    {missing.length > 0 && (
      <Text size="xs" component="span">
        {missing.join(', ')}
      </Text>
    )}
    {reason && <Dimmed size="xs">{reason}</Dimmed>}
  </>
);

const useColumns = (): DataColumn<FeatureRow>[] => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  return useMemo(
    () => [
      {
        id: 'feature',
        header: t('column.feature'),
        width: 260,
        pinned: true,
        cell: ({ title }) => <Text size="sm">{title}</Text>,
        value: ({ title }) => title,
      },
      {
        id: 'use',
        header: t('column.use'),
        width: 110,
        cell: ({ use }) => t(`use.${use}`),
      },
      {
        id: 'state',
        header: tWord('state'),
        width: 130,
        cell: ({ state }) => <Badge color={COLORS[state]}>{t(`feature.${state}`)}</Badge>,
      },
      {
        id: 'missing',
        header: t('column.missing'),
        width: 320,
        cell: (row) => <Why of={row} />,
        value: ({ reason }) => reason,
      },
      {
        id: 'acl',
        header: t('column.acl'),
        width: 220,
        cell: ({ acl }) => acl && <Code>{acl}</Code>,
      },
    ],
    [t, tWord],
  );
};

/** What works for the Redis user of the connection, and which ACL rules would allow the rest. */
export const FeaturesTab = () => {
  const t = useTranslations('server');
  const { id } = useConnection();
  const columns = useColumns();
  const query = useQuery({ ...capabilitiesQuery(id), refetchInterval: refetchEvery(REFETCH_MS) });
  const rows = useMemo(() => worstFirst(query.data?.features ?? NONE), [query.data]);
  if (query.isError && !query.data) return <QueryProblem of={query} />;
  const count = (state: FeatureRow['state']): number => rows.filter((row) => row.state === state).length;
  const user = query.data ? query.data.nodes[0]?.user : 'default';
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.data?.readAt} />
      {/* Hidden, it keeps the lines that it will take. */}
      <Text size="sm" mb="xs" style={{ visibility: query.data ? 'visible' : 'hidden' }}>
        {t('works.summary', { works: count('works'), slower: count('slower'), no: count('no') })}{' '}
        {user && t('works.user', { user })}
      </Text>
      <DataTable
        label={t('tab.works')}
        name="features"
        columns={columns}
        rows={rows}
        rowId={idOf}
        loading={query.isPending}
        empty={{ icon: IconChecklist, title: t('works.none'), text: t('works.noneText') }}
      />
    </>
  );
};
