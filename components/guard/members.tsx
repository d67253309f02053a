'use client';

import { Alert, Button } from '@mantine/core';
import { IconPlus, IconShield } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { ScanFooter } from '@/components/data-table/scan-footer';
import { useScanPages } from '@/components/data-table/use-scan-pages';
import { useConnection } from '@/components/patterns/connection';
import { Description } from '@/components/patterns/description';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { HostileText } from '@/components/patterns/hostile-text';
import { onDemand } from '@/components/patterns/on-demand';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useFormat } from '@/components/patterns/use-format';
import { useOpened } from '@/components/patterns/use-opened';
import { useMay } from '@/components/patterns/viewer';
import { visibleText } from '@/lib/visible-text';
import type { Answer } from './add-drawer';
import { AnswersPanel } from './answers-panel';
import { useMemberColumns } from './member-columns';
import { type GuardSet, guardQueries, type Member } from './queries';

const AnnotateDrawer = onDemand(async () => (await import('./annotate-drawer')).AnnotateDrawer);
const BanDrawer = onDemand(async () => (await import('./ban-drawer')).BanDrawer);
const BlockDrawer = onDemand(async () => (await import('./block-drawer')).BlockDrawer);
const RemoveDrawer = onDemand(async () => (await import('./remove-drawer')).RemoveDrawer);

interface MembersProps {
  set: GuardSet;
  q: string;
  onSearch: (q: string) => void;
  /** The entry to add that the user came with; empty for none. */
  proposed: string;
  onProposalDone: () => void;
}

/** Members to remove; `clear` empties the selection they came from. */
interface Removal {
  members: Member[];
  clear?: () => void;
}

const NO_MEMBERS: Member[] = [];

const idOf = ({ memberId }: Member): string => memberId;

/** One of the collector's sets, with adding and removing members. */
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
  const [adding, setAdding] = useState(false);
  const [answers, setAnswers] = useState<readonly Answer[] | null>(null);
  const removal = useOpened<Removal>();
  const annotation = useOpened<Member>();
  const askRemove = removal.open;
  const actions = useMemo(
    () => ({
      set,
      onEdit: annotation.open,
      onRemove: (member: Member) => askRemove({ members: [member] }),
    }),
    [set, annotation.open, askRemove],
  );
  const columns = useMemberColumns(set, mayWrite ? actions : undefined);
  const add = {
    onClose: () => {
      setAdding(false);
      if (proposed) onProposalDone();
    },
    seconds,
    onAnswers: setAnswers,
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
      {answers && <AnswersPanel set={set} answers={answers} onClose={() => setAnswers(null)} />}
      <Description>
        {t(`${set}.explain`, { seconds: seconds ?? 0, known: seconds === null ? 'no' : 'yes' })}
      </Description>
      <FilterBar
        onClear={q ? () => onSearch('') : undefined}
        status={total === null ? NO_STATUS : t(`${set}.total`, { count: total })}
        search={<SearchField value={q} onChange={onSearch} label={t(`${set}.search`)} />}
        actions={
          mayWrite && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
              {t(`${set}.add.button`)}
            </Button>
          )
        }
      />
      <DataTable
        label={t(`tab.${set}`)}
        name={set}
        columns={columns}
        rows={found.rows}
        rowId={idOf}
        {...found.pages}
        empty={
          <EmptyState icon={<IconShield size={20} />} title={t(`${set}.empty.title`)}>
            {q ? t(`${set}.empty.filtered`) : t(`${set}.empty.text`)}
          </EmptyState>
        }
        {...(mayWrite && {
          selection: {
            rowLabel: (member: Member) => t('select', { what: visibleText(member.member, 60) }),
            actions: (members: Member[], clear: () => void) => (
              <Button size="xs" color="red" onClick={() => askRemove({ members, clear })}>
                {t(`${set}.remove.verb`, { count: members.length })}
              </Button>
            ),
          },
        })}
      />
      {query.data && query.hasNextPage && (
        <ScanFooter more={t('goOn')} paused={found.paused} onMore={found.goOn}>
          {t('examined', { count: format.count(found.examined), total: format.count(found.keys) })}
        </ScanFooter>
      )}
      {set === 'bans' ? (
        <BanDrawer
          {...add}
          opened={mayWrite && (adding || proposed !== '')}
          inAddress={proposed !== ''}
          initial={proposed}
        />
      ) : (
        <BlockDrawer {...add} opened={adding} />
      )}
      <AnnotateDrawer member={annotation.about} opened={annotation.opened} onClose={annotation.close} />
      <RemoveDrawer
        set={set}
        members={removal.about?.members ?? NO_MEMBERS}
        opened={removal.opened}
        onClose={removal.close}
        seconds={seconds}
        onRemoved={() => removal.about?.clear?.()}
      />
    </>
  );
};
