'use client';

import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { useActionWords } from '@/components/patterns/action-words';
import { useConnections } from '@/components/patterns/connection';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { OUTCOMES } from '@/lib/audit/schema';
import { fromLocalInput, toLocalInput } from './local-time';
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

/** Offered by name; the address takes any part of an operationId. */
const ACTIONS = [
  'account.changePassword',
  'account.setup',
  'account.signOutEverywhere',
  'audit.undo',
  'caches.invalidate',
  'flags.set',
  'guard.blacklist.add',
  'guard.blacklist.remove',
  'guard.projects.block',
  'guard.projects.unblock',
  'jobs.cancel',
  'session.signIn',
  'session.signOut',
  'sessions.revoke',
  'tokens.api.create',
  'tokens.api.revoke',
  'users.create',
  'users.update',
];

interface AuditFiltersProps {
  filter: AuditFilter;
  onChange: (change: Partial<AuditFilter>) => void;
}

export const AuditFilters = ({ filter, onChange }: AuditFiltersProps) => {
  const t = useTranslations('audit');
  const words = useActionWords();
  const connections = useConnections();
  const filtered = Object.entries(NO_FILTER).some(([name]) => filter[name as keyof AuditFilter] !== '');
  const actions = ACTIONS.map((action) => ({ value: action, label: words(action) }));
  if (filter.action && !ACTIONS.includes(filter.action))
    actions.push({ value: filter.action, label: filter.action });
  return (
    <FilterBar onClear={filtered ? () => onChange(NO_FILTER) : undefined}>
      <SearchField label={t('filter.actor')} value={filter.actor} onChange={(actor) => onChange({ actor })} />
      <SearchField
        label={t('filter.target')}
        value={filter.target}
        onChange={(target) => onChange({ target })}
      />
      <Select
        aria-label={t('filter.action')}
        placeholder={t('filter.anyAction')}
        data={actions}
        value={filter.action || null}
        onChange={(action) => onChange({ action: action ?? '' })}
        searchable
        clearable
        w={210}
      />
      <Select
        aria-label={t('filter.connection')}
        placeholder={t('filter.anyConnection')}
        data={connections.map(({ id, name }) => ({ value: id, label: name }))}
        value={filter.connection || null}
        onChange={(connection) => onChange({ connection: connection ?? '' })}
        clearable
        w={170}
      />
      <Select
        aria-label={t('filter.outcome')}
        placeholder={t('filter.anyOutcome')}
        data={OUTCOMES.map((outcome) => ({ value: outcome as string, label: t(`outcome.${outcome}`) }))}
        value={filter.outcome || null}
        onChange={(outcome) => onChange({ outcome: outcome ?? '' })}
        clearable
        w={150}
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

// The browser's own field: while it is typed into it is not yet a time, so it keeps its text until it is one.
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
