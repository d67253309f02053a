'use client';

import { useTranslations } from 'next-intl';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { NamesAge } from '@/components/patterns/names-age';
import type { Result } from '@/lib/contract';
import { FLAG_KINDS, type Flag, type flagContracts } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { choicesOf, type FlagFilter, NO_FILTER } from './filter-flags';

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
  const tFlags = useTranslations('flags');
  const { q, state, kind, owner, tag, is } = filter;
  const active = [state, kind, owner, tag, is].filter(Boolean).length;
  const filtered = q !== '' || active > 0;
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
      search={<SearchField value={q} onChange={(q) => onChange({ q })} label={t('search')} />}
      active={active}
    >
      <FilterSelect
        label={tWord('state')}
        any={t('anyState')}
        data={STATES.map((value) => ({ value, label: t(`states.${value}`) }))}
        value={state}
        onChange={(state) => onChange({ state })}
      />
      <FilterSelect
        label={tWord('kind')}
        any={t('anyKind')}
        data={FLAG_KINDS.map((value) => ({ value, label: tFlags(`kind.${value}`) }))}
        value={kind}
        onChange={(kind) => onChange({ kind })}
      />
      <NotedFilter
        label={tFlags('column.owner')}
        any={t('anyOwner')}
        noted={list?.items.map((flag) => flag.owner)}
        value={owner}
        onChange={(owner) => onChange({ owner })}
      />
      <NotedFilter
        label={t('tag')}
        any={t('anyTag')}
        noted={list?.items.flatMap((flag) => flag.tags)}
        value={tag}
        onChange={(tag) => onChange({ tag })}
      />
      <FilterSelect
        label={t('mark')}
        any={t('anyMark')}
        data={MARKS.map((value) => ({ value, label: t(`marks.${value}`) }))}
        value={is}
        onChange={(is) => onChange({ is })}
        width={210}
      />
    </FilterBar>
  );
};

interface NotedFilterProps {
  label: string;
  any: string;
  /** What all flags have noted; undefined while they load. */
  noted: readonly (string | null)[] | undefined;
  value: string;
  onChange: (value: string) => void;
}

/** A filter by what people noted; none where nothing is noted. */
const NotedFilter = ({ noted = [], ...filter }: NotedFilterProps) => {
  const choices = choicesOf(noted, filter.value);
  if (choices.length === 0) return null;
  const data = choices.map((value) => ({ value, label: visibleText(value, 60) }));
  return <FilterSelect {...filter} data={data} searchable />;
};
