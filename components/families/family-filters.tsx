'use client';

import { Checkbox } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { ApplicationSelect } from '@/components/patterns/filter-select';
import type { FamilyRow } from '@/lib/families/schema';

interface FamilyFilter {
  q: string;
  app: string;
  /** `caches`, or empty for all families. */
  only: string;
}

/** The families of the application whose title, pattern or id contains the text. */
export const filterFamilies = (
  families: readonly FamilyRow[],
  { q, app, only }: FamilyFilter,
): FamilyRow[] => {
  const text = q.trim().toLowerCase();
  return families.filter(
    (family) =>
      (app === '' || family.app === app) &&
      (only !== 'caches' || family.cache) &&
      [family.title, family.pattern, family.family].some((part) => part.toLowerCase().includes(text)),
  );
};

interface FamilyFiltersProps {
  filter: FamilyFilter;
  apps: readonly string[];
  onChange: (change: Partial<FamilyFilter>) => void;
  status: ReactNode;
}

export const FamilyFilters = ({ filter, apps, onChange, status }: FamilyFiltersProps) => {
  const t = useTranslations('families.filter');
  const filtered = filter.q !== '' || filter.app !== '' || filter.only !== '';
  return (
    <FilterBar
      search={<SearchField label={t('text')} value={filter.q} onChange={(q) => onChange({ q })} />}
      active={[filter.app, filter.only].filter(Boolean).length}
      onClear={filtered ? () => onChange({ q: '', app: '', only: '' }) : undefined}
      status={status}
    >
      {apps.length > 1 && (
        <ApplicationSelect apps={apps} value={filter.app} onChange={(app) => onChange({ app })} />
      )}
      <Checkbox
        label={t('cachesOnly')}
        checked={filter.only === 'caches'}
        onChange={(event) => onChange({ only: event.currentTarget.checked ? 'caches' : '' })}
      />
    </FilterBar>
  );
};
