'use client';

import { Button, Group, Title } from '@mantine/core';
import { IconTool, IconUserSearch } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Sorting } from '@/components/data-table/columns';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useMay } from '@/components/patterns/viewer';
import { REPAIRS, type RepairKind } from '@/lib/sessions/repair/schema';
import type { Session } from '@/lib/sessions/schema';
import { visibleText } from '@/lib/visible-text';
import { SearchProgress } from './search-progress';
import { inOrder, type SessionFilter, wireFilter } from './session-filter';
import { SessionTable } from './session-table';
import type { Revocation } from './use-revocation';
import { type SessionSearch, useSessionSearch } from './use-session-search';

interface SessionMatchesProps {
  filter: SessionFilter;
  sorting: Sorting;
  revocation: Revocation;
  onRepair: (kind: RepairKind) => void;
}

/** Matching sessions a filter, shown while the search finds them. */
export const SessionMatches = ({ filter, sorting, revocation, onRepair }: SessionMatchesProps) => {
  const t = useTranslations('sessions');
  const connection = useConnection();
  const wire = wireFilter(filter);
  const found = useSessionSearch(connection.id, wire);
  const { matches } = found.search;
  const { by, order } = sorting;
  const rows = useMemo(() => inOrder(matches, { by, order }), [matches, by, order]);
  const isExact = ({ username }: Session) => username?.toLowerCase() === filter.name.toLowerCase();
  const [exact, others] = [rows.filter(isExact), rows.filter((session) => !isExact(session))];
  const name = visibleText(exact[0]?.username ?? '', 40);
  const table = { live: [by, order], sorting, revocation, loading: false };
  // Refused before it began, so there is no progress to show.
  if (found.lost && !found.search.progress) return <ProblemAlert error={found.lost} onRetry={found.again} />;
  return (
    <>
      <SearchProgress found={found}>
        <OnMatches filter={filter} matches={matches} revocation={revocation} onRepair={onRepair} />
      </SearchProgress>
      {exact.length > 0 && (
        <>
          <Group justify="space-between" mb="xs">
            <Title order={2}>{t('exactMatches', { name })}</Title>
            <RevokeUser sessions={exact} name={name} revocation={revocation} />
          </Group>
          <SessionTable {...table} label={t('exactMatches', { name })} rows={exact} />
          {others.length > 0 && (
            <Title order={2} mt="md" mb="xs">
              {t('otherMatches')}
            </Title>
          )}
        </>
      )}
      {(exact.length === 0 || others.length > 0) && (
        <SessionTable
          {...table}
          label={t(exact.length > 0 ? 'otherMatches' : 'matches')}
          rows={others}
          loading={found.searching && rows.length === 0}
          empty={<NoMatch found={found} />}
        />
      )}
    </>
  );
};

const NoMatch = ({ found }: { found: SessionSearch }) => {
  const t = useTranslations('sessions.empty');
  const complete = found.search.end === 'complete';
  return (
    <EmptyState icon={<IconUserSearch size={20} />} title={t(complete ? 'noMatch' : 'noMatchYet')}>
      {t(complete ? 'filtered' : 'notComplete')}
    </EmptyState>
  );
};

/** Whoever has exactly the name that was searched; nothing where several users have it. */
const RevokeUser = ({
  sessions,
  name,
  revocation,
}: {
  sessions: readonly Session[];
  name: string;
  revocation: Revocation;
}) => {
  const t = useTranslations('sessions.search');
  const mayRevoke = useMay('sessions:revoke');
  const [userId, ...more] = new Set(sessions.map((session) => session.userId));
  if (!mayRevoke || !userId || more.length > 0) return null;
  const ask = () => revocation.ask({ kind: 'user', userId, username: sessions[0]!.username });
  return (
    <Button size="xs" color="red" variant="light" onClick={ask}>
      {t('revokeUser', { name })}
    </Button>
  );
};

const isRepair = (state: string): state is RepairKind => (REPAIRS as readonly string[]).includes(state);

const namesIn = (matches: readonly Session[]): Map<string, string | null> =>
  new Map(matches.flatMap(({ userId, username }) => (userId ? [[userId, username] as const] : [])));

/** Actions on all matching sessions, including those not found yet. */
const OnMatches = (props: Omit<SessionMatchesProps, 'sorting'> & { matches: readonly Session[] }) => {
  const { filter, matches, revocation, onRepair } = props;
  const t = useTranslations('sessions.search');
  const mayRevoke = useMay('sessions:revoke');
  const { state } = filter;
  if (!mayRevoke || matches.length === 0) return null;
  const ask = () =>
    revocation.ask({ kind: 'filter', filter, wire: wireFilter(filter), names: namesIn(matches) });
  return (
    <>
      {isRepair(state) && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconTool size={14} aria-hidden />}
          onClick={() => onRepair(state)}
        >
          {t('repair')}
        </Button>
      )}
      {state !== 'staleIndex' && (
        <Button size="xs" color="red" variant="light" onClick={ask}>
          {t('revokeAll')}
        </Button>
      )}
    </>
  );
};
