'use client';

import { useDebouncedCallback } from '@mantine/hooks';
import { useTranslations } from 'next-intl';
import { useActionWords, useKnownActions } from '@/components/patterns/action-words';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { ConnectionSelect, FilterSelect } from '@/components/patterns/filter-select';
import { TimeField } from '@/components/patterns/time-field';
import { OUTCOMES } from '@/lib/audit/schema';
import type { AuditFilter } from './queries';

export const NO_FILTER: AuditFilter = {
  actor: '',
  action: '',
  connection: '',
  target: '',
  outcome: '',
  from: '',
  to: '',
};

interface AuditFiltersProps {
  filter: AuditFilter;
  onChange: (change: Partial<AuditFilter>) => void;
}

export const AuditFilters = ({ filter, onChange }: AuditFiltersProps) => {
  const t = useTranslations('audit');
  const words = useActionWords();
  const set = Object.keys(NO_FILTER).filter((name) => filter[name as keyof AuditFilter] !== '');
  const known = useKnownActions();
  // The URL may hold any part of an operationId.
  const offered = !filter.action || known.includes(filter.action) ? known : [...known, filter.action];
  const actions = offered.map((action) => ({ value: action, label: words(action) }));
  return (
    <FilterBar
      search={
        <SearchField
          label={t('filter.actor')}
          value={filter.actor}
          onChange={(actor) => onChange({ actor })}
        />
      }
      active={set.filter((name) => name !== 'actor').length}
      onClear={set.length > 0 ? () => onChange(NO_FILTER) : undefined}
    >
      <SearchField
        label={t('filter.target')}
        value={filter.target}
        onChange={(target) => onChange({ target })}
      />
      <FilterSelect
        label={t('filter.action')}
        any={t('filter.anyAction')}
        data={actions}
        value={filter.action}
        onChange={(action) => onChange({ action })}
        searchable
        width={210}
      />
      <ConnectionSelect value={filter.connection} onChange={(connection) => onChange({ connection })} />
      <FilterSelect
        label={t('filter.outcome')}
        any={t('filter.anyOutcome')}
        data={OUTCOMES.map((outcome) => ({ value: outcome, label: t(`outcome.${outcome}`) }))}
        value={filter.outcome}
        onChange={(outcome) => onChange({ outcome })}
      />
      <TimeFilter label={t('filter.from')} value={filter.from} onChange={(from) => onChange({ from })} />
      <TimeFilter label={t('filter.to')} value={filter.to} onChange={(to) => onChange({ to })} />
    </FilterBar>
  );
};

interface TimeFilterProps {
  label: string;
  value: string;
  onChange: (iso: string) => void;
}

// Each digit that is typed makes another valid time: the log is queried when typing pauses.
const TimeFilter = ({ label, value, onChange }: TimeFilterProps) => {
  const later = useDebouncedCallback(onChange, 400);
  return <TimeField compact label={label} value={value} onChange={later} />;
};
