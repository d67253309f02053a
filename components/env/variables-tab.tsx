'use client';

import { Chip, Group, Skeleton, Stack } from '@mantine/core';
import { IconVariable } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { HistoryOfMissing } from '@/components/patterns/history-of-missing';
import { NamesAge } from '@/components/patterns/names-age';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { Unanswered } from '@/components/patterns/unanswered';
import { useFormat } from '@/components/patterns/use-format';
import { useReveal } from '@/components/patterns/use-reveal';
import { CATEGORIES, envContracts, type Variable } from '@/lib/env/schema';
import { CategoryGroup } from './category-group';
import { countsOf, SHOWN, selectGroups, shownOf, type VariableList } from './selection';
import type { RowAction } from './variable-row';

interface ListState {
  q: string;
  show: string;
  /** Collapsed categories, comma-separated. */
  closed: string;
}

interface VariablesTabProps {
  query: UseQueryResult<VariableList>;
  state: ListState;
  onState: (change: Partial<ListState>) => void;
  onAction: (action: RowAction, variable: Variable) => void;
  onCreate: (name: string) => void;
  onHistory: (name: string) => void;
}

/** A search text that may be the name of a deleted variable. */
const NAME = /^[A-Z][A-Z0-9_]{2,}$/;

const Filters = ({
  list,
  state,
  onState,
}: Pick<VariablesTabProps, 'state' | 'onState'> & { list: VariableList }) => {
  const t = useTranslations('env');
  const { count } = useFormat();
  const counts = countsOf(list);
  const filtered = state.q !== '' || state.show !== 'all';
  return (
    <FilterBar
      onClear={filtered ? () => onState({ q: '', show: 'all' }) : undefined}
      status={<NamesAge list={list} />}
      search={
        <SearchField
          value={state.q}
          onChange={(q) => onState({ q })}
          label={t('search')}
          placeholder={t('searchHint')}
        />
      }
      active={state.show === 'all' ? 0 : 1}
    >
      <Chip.Group value={shownOf(state.show)} onChange={(show) => onState({ show })}>
        <Group gap={6}>
          {SHOWN.map((shown) => (
            <Chip key={shown} value={shown} size="xs" radius="md" variant="light">
              {t(`shown.${shown}`)} {count(counts[shown])}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </FilterBar>
  );
};

export const VariablesTab = ({ query, state, onState, onAction, onCreate, onHistory }: VariablesTabProps) => {
  const t = useTranslations('env');
  const reveal = useReveal(envContracts.reveal);
  const closed = state.closed.split(',').filter(Boolean);
  const { closed: collapsed } = state;
  const toggle = useCallback(
    (category: string) => {
      const names = collapsed.split(',').filter(Boolean);
      const next = names.includes(category)
        ? names.filter((name) => name !== category)
        : [...names, category];
      onState({ closed: next.join(',') });
    },
    [collapsed, onState],
  );
  const list = query.data;
  if (!list)
    return (
      <Unanswered query={query}>
        <Stack gap="sm" aria-busy>
          <Skeleton height={36} maw={560} />
          <Skeleton height={170} />
          <Skeleton height={240} />
        </Stack>
      </Unanswered>
    );
  const groups = selectGroups(list, CATEGORIES, { q: state.q, shown: shownOf(state.show) });
  // A search shows matches in collapsed categories too.
  const searching = state.q.trim() !== '' || state.show !== 'all';
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <Filters list={list} state={state} onState={onState} />
      {groups.map((group) => (
        <CategoryGroup
          key={group.category}
          group={group}
          opened={searching || !closed.includes(group.category)}
          onToggle={() => toggle(group.category)}
          readAt={query.dataUpdatedAt}
          reveal={reveal}
          onAction={onAction}
          onCreate={onCreate}
        />
      ))}
      {groups.length === 0 && !list.complete && <Skeleton height={170} />}
      {groups.length === 0 && list.complete && (
        <EmptyState
          icon={<IconVariable size={20} />}
          title={t('empty.title')}
          action={NAME.test(state.q) && <HistoryOfMissing name={state.q} onHistory={onHistory} />}
        >
          {searching ? t('empty.filtered') : t('empty.text')}
        </EmptyState>
      )}
    </>
  );
};
