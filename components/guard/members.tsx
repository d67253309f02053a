'use client';

import { Alert, Button, Group, Text } from '@mantine/core';
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
import { useFormat } from '@/components/patterns/use-format';
import { useScanPages } from '@/components/patterns/use-scan-pages';
import { useMay } from '@/components/patterns/viewer';
import { visibleText } from '@/lib/visible-text';
import { AnnotateDrawer } from './annotate-drawer';
import { AnswersPanel } from './answers-panel';
import { BanDrawer } from './ban-drawer';
import { BlockDrawer } from './block-drawer';
import { useMemberColumns } from './member-columns';
import { type BanWords, type GuardSet, guardQueries, type Member } from './queries';
import { RemoveDrawer } from './remove-drawer';
import { useAnnotation } from './use-annotation';
import { useGuardChanges } from './use-guard-changes';

interface MembersProps {
  set: GuardSet;
  q: string;
  onSearch: (q: string) => void;
  /** The entry somebody was led here to add; empty for none. */
  proposed: string;
  onProposalDone: () => void;
}

const idOf = ({ memberId }: Member): string => memberId;

/** One of the collector's sets: what is in it, adding, removing. */
export const Members = ({ set, q, onSearch, proposed, onProposalDone }: MembersProps) => {
  const t = useTranslations('guard');
  const { id } = useConnection();
  const mayWrite = useMay('guard:write');
  const format = useFormat();
  const query = useInfiniteQuery(guardQueries.members(set, id, q));
  const found = useScanPages(query, idOf);
  const [first] = query.data?.pages ?? [];
  const total = first?.keys ?? null;
  const seconds = first?.inForceWithinSeconds ?? null;
  const changes = useGuardChanges(set);
  const annotation = useAnnotation();
  const { askRemove } = changes;
  const askRemoveOne = useCallback((member: Member) => askRemove([member]), [askRemove]);
  const actions = useMemo(
    () => ({ set, onEdit: annotation.ask, onRemove: askRemoveOne }),
    [set, annotation.ask, askRemoveOne],
  );
  const columns = useMemberColumns(set, mayWrite ? actions : undefined);
  const closeAdd = () => {
    changes.setAdding(false);
    if (proposed) onProposalDone();
  };
  const adding = {
    onClose: closeAdd,
    seconds,
    pending: changes.add.isPending,
    error: changes.add.error,
    onSubmit: (entries: string[], words: BanWords) => changes.submitAdd(entries, words, closeAdd),
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
        label={t(`tab.${set}`)}
        name={set}
        columns={columns}
        rows={found.rows}
        rowId={idOf}
        loading={query.isPending}
        hasMore={query.hasNextPage}
        fetchingMore={query.isFetchingNextPage}
        onMore={found.onMore}
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
      {query.data && query.hasNextPage && (
        <Group mt="xs" gap="sm" mih={30}>
          <Text size="xs" c="dimmed">
            {t('examined', { count: format.count(found.examined), total: format.count(total) })}
          </Text>
          {found.paused && (
            <Button size="compact-sm" variant="default" onClick={found.goOn}>
              {t('goOn')}
            </Button>
          )}
        </Group>
      )}
      {set === 'blacklist' ? (
        <BanDrawer {...adding} opened={mayWrite && (changes.adding || proposed !== '')} initial={proposed} />
      ) : (
        <BlockDrawer {...adding} opened={changes.adding} />
      )}
      <AnnotateDrawer {...annotation.drawer} />
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
