'use client';

import { Button, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { DataTable } from '@/components/data-table/data-table';
import { ScanFooter } from '@/components/data-table/scan-footer';
import { useScanPages } from '@/components/data-table/use-scan-pages';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { onDemand } from '@/components/patterns/on-demand';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useOpened } from '@/components/patterns/use-opened';
import { useMay } from '@/components/patterns/viewer';
import type { TokenFilter } from '@/lib/tokens/schema';
import { isFiltered, type Tab } from './filter';
import { type TokenRow, tokenQueries } from './queries';
import { useTokenColumns, useTokenLabel } from './token-columns';
import type { TokenRevocation } from './use-token-revocation';

const TokenDrawer = onDemand(async () => (await import('./token-drawer')).TokenDrawer);

/** Ids per request that the server accepts. */
const MAX_SELECTED = 500;

const idOf = ({ id }: TokenRow): string => id;

interface TokenListProps {
  tab: Tab;
  filter: TokenFilter;
  revocation: TokenRevocation;
}

/** The tokens of one tab as the scan finds them, with details, a selection and revocation. */
export const TokenList = ({ tab, filter, revocation }: TokenListProps) => {
  const t = useTranslations('tokens');
  const connection = useConnection();
  const mayRevoke = useMay('sessions:revoke');
  const label = useTokenLabel();
  const query = useInfiniteQuery(tokenQueries.list(connection.id, tab, filter));
  const found = useScanPages(query, idOf);
  const { about, opened, open, close } = useOpened<TokenRow>();
  const columns = useTokenColumns(tab, open);
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  const actions = (tokens: TokenRow[], clear: () => void) =>
    tokens.length > MAX_SELECTED ? (
      <Text size="sm">{t('tooMany', { most: MAX_SELECTED })}</Text>
    ) : (
      <Button size="xs" color="red" onClick={() => revocation.ask({ tab, tokens, onRevoked: clear })}>
        {t(`verb.${tab}`, { count: tokens.length })}
      </Button>
    );
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <DataTable
        label={t(`tab.${tab}`)}
        name={`tokens-${tab}`}
        columns={columns}
        rows={found.rows}
        rowId={idOf}
        {...found.pages}
        onOpen={open}
        empty={
          <EmptyState icon={<IconKey size={20} />} title={t(`empty.${tab}.title`)}>
            {isFiltered(filter) ? t('empty.filtered') : t(`empty.${tab}.text`)}
          </EmptyState>
        }
        {...(mayRevoke && {
          selection: { rowLabel: (token: TokenRow) => t('select', { what: label(token) }), actions },
        })}
      />
      {query.data && (
        <ScanFooter more={t('loadMore')} paused={found.paused} onMore={found.goOn}>
          {tab === 'oauth' && filter.userId
            ? t('examinedExact', { count: found.examined })
            : t(query.hasNextPage ? 'examined' : 'examinedAll', {
                count: found.examined,
                keys: found.keys,
              })}
        </ScanFooter>
      )}
      <TokenDrawer
        token={about}
        opened={opened}
        onClose={close}
        onRevoke={(token) => {
          close();
          revocation.ask({ tab, tokens: [token] });
        }}
      />
    </>
  );
};
