'use client';

import { useTranslations } from 'next-intl';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { NamesAge } from '@/components/patterns/names-age';
import type { Result } from '@/lib/contract';
import { FLAG_KINDS, type Flag, type flagContracts } from '@/lib/flags/schema';
import { type FlagFilter, NO_FILTER } from './filter-flags';

const STATES = ['on', 'off', 'notBoolean'] as const;
const MARKS = ['stale', 'scheduled', 'waiting'] as const;

interface FlagFiltersProps {
  filter: FlagFilter;
  onChange: (change: Partial<FlagFilter>) => void;
  shown: readonly Flag[];
  /** All flags; undefined while they load. */
  list: Result<typeof flagContracts.list> | undefined;
}

export const FlagFilters = ({ filter, onChange, shown, list }: FlagFiltersProps) => {
  const t = useTranslations('flags.filter');
  const tWord = useTranslations('words');
  const tKind = useTranslations('flags.kind');
  const filtered = filter.q !== '' || filter.state !== '' || filter.kind !== '' || filter.is !== '';
  const total = list?.items.length;
  const status =
    total === undefined
      ? NO_STATUS
      : filtered
        ? t('found', { count: shown.length, total })
        : t('total', { count: total, on: shown.filter(({ enabled }) => enabled === true).length });
  return (
    <FilterBar
      onClear={filtered ? () => onChange(NO_FILTER) : undefined}
      status={
        <>
          {status}
          <NamesAge list={list} />
        </>
      }
      search={<SearchField value={filter.q} onChange={(q) => onChange({ q })} label={t('search')} />}
      active={[filter.state, filter.kind, filter.is].filter(Boolean).length}
    >
      <FilterSelect
        label={tWord('state')}
        any={t('anyState')}
        data={STATES.map((value) => ({ value, label: t(`states.${value}`) }))}
        value={filter.state}
        onChange={(state) => onChange({ state })}
      />
      <FilterSelect
        label={tWord('kind')}
        any={t('anyKind')}
        data={FLAG_KINDS.map((value) => ({ value, label: tKind(value) }))}
        value={filter.kind}
        onChange={(kind) => onChange({ kind })}
      />
      <FilterSelect
        label={t('mark')}
        any={t('anyMark')}
        data={MARKS.map((value) => ({ value, label: t(`marks.${value}`) }))}
        value={filter.is}
        onChange={(is) => onChange({ is })}
        width={210}
      />
    </FilterBar>
  );
};
