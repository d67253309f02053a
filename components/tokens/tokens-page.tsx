'use client';

import { ActionIcon } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { ListPage } from '@/components/contract-list/list-page';
import { useConnection } from '@/components/patterns/connection';
import { SmallNote } from '@/components/patterns/dimmed';
import { sessionStatsQuery } from '@/components/patterns/session-stats-query';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import { touchedBy } from '@/lib/contract';
import type { SessionStats } from '@/lib/sessions/schema';
import { tokenContracts } from '@/lib/tokens/schema';
import { OAUTH_TOKENS, SIGN_IN_FLOWS, VERIFICATION_TOKENS } from './token-lists';

const TABS = {
  oauth: { list: OAUTH_TOKENS },
  verification: { list: VERIFICATION_TOKENS },
  states: { list: SIGN_IN_FLOWS },
};
/** Providers and types differ between tabs. */
const KEPT = ['user', 'within'];

/** Tokens by their purpose. */
export const TokensPage = () => (
  <ListPage
    texts="tokens"
    tabs={TABS}
    keeps={KEPT}
    count={(tab) => <TabCount tab={tab} />}
    actions={<ReadAgain />}
  />
);

const sumOf = (entries: readonly { count: number }[]): number =>
  entries.reduce((sum, { count }) => sum + count, 0);

const totalOf = (tab: string, { oauth, verifications, oauthStates }: SessionStats): number | null =>
  tab === 'oauth' ? sumOf(oauth) : tab === 'verification' ? sumOf(verifications) : oauthStates;

/** Reserves its line before the count is known, so that the tab does not grow. */
const TabCount = ({ tab }: { tab: string }) => {
  const format = useFormat();
  const connection = useConnection();
  const stats = useQuery(sessionStatsQuery(connection.id)).data;
  return <SmallNote>{stats?.countedAt ? format.count(totalOf(tab, stats)) : '\u00a0'}</SmallNote>;
};

const ReadAgain = () => {
  const t = useTranslations('tokens');
  const { id } = useConnection();
  const client = useQueryClient();
  // The queries that a revocation touches are those of this page.
  const shown = {
    predicate: ({ queryKey: [operation, of] }: { queryKey: readonly unknown[] }) =>
      touchedBy(tokenContracts.oauthRevoke, operation, of, id),
  };
  return (
    <Tooltip label={t('readAgain')}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={t('readAgain')}
        loading={useIsFetching(shown) > 0}
        onClick={() => void client.invalidateQueries(shown)}
      >
        <IconRefresh size={18} />
      </ActionIcon>
    </Tooltip>
  );
};
