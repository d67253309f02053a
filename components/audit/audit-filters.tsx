'use client';

import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { useActionWords, useKnownActions } from '@/components/patterns/action-words';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { ConnectionSelect, FilterSelect } from '@/components/patterns/filter-select';
import { fromLocalInput, toLocalInput } from '@/components/patterns/local-time';
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
      <TimeField label={t('filter.from')} value={filter.from} onChange={(from) => onChange({ from })} />
      <TimeField label={t('filter.to')} value={filter.to} onChange={(to) => onChange({ to })} />
    </FilterBar>
  );
};

interface TimeFieldProps {
  label: string;
  value: string;
  onChange: (iso: string) => void;
}

// Keeps its own text: half-typed input is not a time yet.
const TimeField = ({ label, value, onChange }: TimeFieldProps) => {
  const [text, setText] = useState(() => toLocalInput(value));
  const later = useDebouncedCallback((typed: string) => onChange(fromLocalInput(typed)), 400);
  useEffect(() => setText(toLocalInput(value)), [value]);
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      title={label}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        later(event.currentTarget.value);
      }}
      leftSection={<span style={{ fontSize: 'var(--mantine-font-size-xs)' }}>{label}</span>}
      leftSectionWidth={46}
      w={246}
    />
  );
};
