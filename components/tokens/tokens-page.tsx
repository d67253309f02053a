'use client';

import { ActionIcon, Alert, Anchor, Text } from '@mantine/core';
import { IconRefresh, IconUser } from '@tabler/icons-react';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { JobDrawer } from '@/components/patterns/job-drawer-on-demand';
import { Link } from '@/components/patterns/link';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { sessionStatsQuery } from '@/components/patterns/session-stats-query';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import { useRefetch } from '@/components/patterns/use-refetch';
import { useUrlState } from '@/components/patterns/use-url-state';
import { queryKeys } from '@/components/query-keys';
import type { SessionStats } from '@/lib/sessions/schema';
import { userIdText } from '@/lib/sessions/schema';
import { FIELDS, filterOf, isNoUser, STEPS, TABS, type Tab, tabOf, userOf } from './filter';
import { TokenFilters } from './token-filters';
import { TokenList } from './token-list';
import { TokenProofPanel } from './token-proof';
import { useTokenRevocation } from './use-token-revocation';

const RevokeTokensDrawer = onDemand(async () => (await import('./revoke-tokens-drawer')).RevokeTokensDrawer);

export const TokensPage = () => {
  const t = useTranslations('tokens');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const onJob = useCallback((job: string) => setUrl({ job }), [setUrl]);
  const revocation = useTokenRevocation(onJob);
  const tab = tabOf(url);
  const filter = useMemo(() => filterOf(tab, url), [tab, url]);
  // Providers and types differ between tabs: their filters are cleared. User and expiry stay.
  const choose = (next: Tab) =>
    setUrl({ tab: next === 'oauth' ? '' : next, provider: '', kind: '', type: '' });
  const count = useTabCount();
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} actions={<ReadAgain />} />
      {revocation.proof && <TokenProofPanel proof={revocation.proof} onClose={revocation.dismissProof} />}
      <PageTabs tabs={TABS} value={tab} label={(each) => t(`tab.${each}`)} count={count} onTab={choose}>
        {tab !== 'states' && <UserNote userId={userOf(url)} />}
        <TokenFilters
          tab={tab}
          url={url}
          onChange={setUrl}
          onRevokeAll={() => revocation.ask({ tab, filter })}
        />
        {isNoUser(tab, url) ? (
          <NoUser text={url.user} />
        ) : (
          // A new filter is a new list: the selection must not carry over.
          <TokenList
            key={`${tab} ${JSON.stringify(filter)}`}
            tab={tab}
            filter={filter}
            revocation={revocation}
          />
        )}
      </PageTabs>
      <RevokeTokensDrawer revocation={revocation} />
      <JobDrawer jobId={url.job || null} onClose={() => setUrl({ job: '' })} />
    </>
  );
};

const sumOf = (entries: readonly { count: number }[]): number =>
  entries.reduce((sum, { count }) => sum + count, 0);

const totalOf = (tab: Tab, { oauth, verifications, oauthStates }: SessionStats): number | null =>
  tab === 'oauth' ? sumOf(oauth) : tab === 'verification' ? sumOf(verifications) : oauthStates;

/** Its line is there before the count is: the tab must not grow. */
const useTabCount = () => {
  const format = useFormat();
  const connection = useConnection();
  const stats = useQuery(sessionStatsQuery(connection.id)).data;
  return (tab: Tab) => (
    <Text span size="xs" c="dimmed">
      {stats?.countedAt ? format.count(totalOf(tab, stats)) : '\u00a0'}
    </Text>
  );
};

/** Links back to the user whose tokens are listed. */
const UserNote = ({ userId }: { userId: string | null }) => {
  const t = useTranslations('tokens');
  const connection = useConnection();
  if (userId === null) return null;
  return (
    <Alert color="indigo" mb="sm" py="xs" icon={<IconUser size={16} />}>
      {t('ofUser', { id: userId })}{' '}
      <Anchor
        component={Link}
        size="sm"
        c="inherit"
        href={`/${connection.id}/sessions?user=${encodeURIComponent(userIdText(userId))}`}
        underline="always"
      >
        {t('toUser')}
      </Anchor>
    </Alert>
  );
};

/** Tokens have user ids only: a search by name is possible among sessions. */
const NoUser = ({ text }: { text: string }) => {
  const t = useTranslations('tokens.noUser');
  const connection = useConnection();
  return (
    <EmptyState icon={<IconUser size={20} />} title={t('title')}>
      {t('text')}{' '}
      <Anchor
        component={Link}
        size="sm"
        href={`/${connection.id}/sessions?name=${encodeURIComponent(text)}`}
        underline="always"
      >
        {t('find')}
      </Anchor>
    </EmptyState>
  );
};

const ReadAgain = () => {
  const t = useTranslations('tokens');
  const { id } = useConnection();
  const again = useRefetch(queryKeys.tokens(id), queryKeys.sessionStats(id));
  const busy = useIsFetching({ queryKey: queryKeys.tokens(id) }) > 0;
  return (
    <Tooltip label={t('readAgain')}>
      <ActionIcon variant="default" size="lg" aria-label={t('readAgain')} loading={busy} onClick={again}>
        <IconRefresh size={18} />
      </ActionIcon>
    </Tooltip>
  );
};
