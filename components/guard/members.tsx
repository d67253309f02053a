'use client';

import { Alert, Button, Text } from '@mantine/core';
import { IconPlus, IconShield } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useMay } from '@/components/patterns/viewer';
import { visibleText } from '@/lib/visible-text';
import { AddDrawer } from './add-drawer';
import { AnswersPanel } from './answers-panel';
import { useMemberColumns } from './member-columns';
import { type GuardSet, guardQueries, type Member } from './queries';
import { RemoveDrawer } from './remove-drawer';
import { useGuardChanges } from './use-guard-changes';

interface MembersProps {
  set: GuardSet;
  q: string;
  onSearch: (q: string) => void;
  /** The entry somebody was led here to add; empty for none. */
  proposed: string;
  onProposalDone: () => void;
}

const useMembers = (set: GuardSet, connection: string, q: string) => {
  const query = useInfiniteQuery(guardQueries.members(set, connection, q));
  const pages = query.data?.pages;
  // SSCAN may give a member twice: each once.
  const rows = useMemo(() => {
    const distinct = new Map<string, Member>();
    for (const page of pages ?? []) for (const item of page.items) distinct.set(item.memberId, item);
    return [...distinct.values()];
  }, [pages]);
  return {
    query,
    rows,
    total: pages?.[0]?.total ?? null,
    seconds: pages?.[0]?.inForceWithinSeconds ?? null,
  };
};

/** One of the collector's sets: what is in it, adding, removing. */
export const Members = ({ set, q, onSearch, proposed, onProposalDone }: MembersProps) => {
  const t = useTranslations('guard');
  const { id } = useConnection();
  const mayWrite = useMay('guard:write');
  const { query, rows, total, seconds } = useMembers(set, id, q);
  const changes = useGuardChanges(set);
  const { askRemove } = changes;
  const askRemoveOne = useCallback((member: Member) => askRemove([member]), [askRemove]);
  const columns = useMemberColumns(set, mayWrite ? askRemoveOne : undefined);
  const closeAdd = () => {
    changes.setAdding(false);
    if (proposed) onProposalDone();
  };
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      {proposed && !mayWrite && (
        <Alert color="orange" mb="md">
          {t.rich('notYours', { what: () => <HostileText max={60}>{proposed}</HostileText> })}
        </Alert>
      )}
      {changes.answers && (
        <AnswersPanel set={set} answers={changes.answers} onClose={changes.dismissAnswers} />
      )}
      <Text size="sm" c="dimmed" mb="sm">
        {t(`${set}.explain`, { seconds: seconds ?? 0, known: seconds === null ? 'no' : 'yes' })}
      </Text>
      <FilterBar
        onClear={q ? () => onSearch('') : undefined}
        status={total !== null && t(`${set}.total`, { count: total })}
      >
        <SearchField value={q} onChange={onSearch} label={t(`${set}.search`)} />
        {mayWrite && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => changes.setAdding(true)}>
            {t(`${set}.add.button`)}
          </Button>
        )}
      </FilterBar>
      <DataTable
        label={t(`${set}.tab`)}
        name={set}
        columns={columns}
        rows={rows}
        rowId={(member) => member.memberId}
        loading={query.isPending}
        hasMore={query.hasNextPage}
        fetchingMore={query.isFetchingNextPage}
        onMore={() => {
          if (!query.isError) void query.fetchNextPage();
        }}
        empty={
          <EmptyState icon={<IconShield size={20} />} title={t(`${set}.empty.title`)}>
            {q ? t(`${set}.empty.filtered`) : t(`${set}.empty.text`)}
          </EmptyState>
        }
        {...(mayWrite && {
          selection: {
            rowLabel: (member: Member) => t('select', { what: visibleText(member.member, 60) }),
            actions: (members: Member[], clear: () => void) => (
              <Button size="xs" color="red" onClick={() => askRemove(members, clear)}>
                {t(`${set}.remove.verb`, { count: members.length })}
              </Button>
            ),
          },
        })}
      />
      <AddDrawer
        set={set}
        opened={mayWrite && (changes.adding || proposed !== '')}
        onClose={closeAdd}
        initial={proposed}
        seconds={seconds}
        pending={changes.add.isPending}
        error={changes.add.error}
        onSubmit={(entries, words) => changes.submitAdd(entries, words, closeAdd)}
      />
      <RemoveDrawer
        set={set}
        members={changes.removing}
        opened={changes.isRemoving}
        onClose={changes.closeRemove}
        seconds={seconds}
        pending={changes.remove.isPending}
        error={changes.remove.error}
        onSubmit={changes.submitRemove}
      />
    </>
  );
};
