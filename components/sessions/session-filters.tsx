'use client';

import { IconDevices, IconMapPin } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Autocomplete } from '@/components/patterns/autocomplete';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { Select } from '@/components/patterns/select';
import { useFormat } from '@/components/patterns/use-format';
import { useTypedText } from '@/components/patterns/use-typed-text';
import { IDLE_CHOICES, idleSeconds, type SessionFilter } from './session-filter';

/** Suggestions of words in user agents and labels; any other text can be searched too. */
const DEVICES = ['Android', 'Chrome', 'Firefox', 'Linux', 'Safari', 'Windows', 'iOS', 'macOS'];

interface SessionFiltersProps {
  filter: SessionFilter;
  /** The user that is shown; '' for none. */
  user: string;
  onSearch: (text: string) => void;
  onChange: (change: Partial<SessionFilter>) => void;
  onClear: (() => void) | undefined;
}

/** Searches a user by id, or sessions by name, device, address and idle time. */
export const SessionFilters = ({ filter, user, onSearch, onChange, onClear }: SessionFiltersProps) => {
  const t = useTranslations('sessions.filter');
  const tWord = useTranslations('words');
  return (
    <FilterBar
      search={<SearchField value={user || filter.name} onChange={onSearch} label={t('search')} noSecrets />}
      active={[filter.device, filter.address, filter.idle].filter(Boolean).length}
      onClear={onClear}
    >
      {user === '' && (
        <>
          <TextFilter
            label={t('device')}
            value={filter.device}
            max={200}
            suggestions={DEVICES}
            icon={<IconDevices size={16} aria-hidden />}
            onChange={(device) => onChange({ device })}
          />
          <TextFilter
            label={tWord('address')}
            value={filter.address}
            max={100}
            icon={<IconMapPin size={16} aria-hidden />}
            onChange={(address) => onChange({ address })}
          />
          <IdleFilter value={filter.idle} onChange={(idle) => onChange({ idle })} />
        </>
      )}
    </FilterBar>
  );
};

interface TextFilterProps {
  label: string;
  value: string;
  max: number;
  suggestions?: string[];
  icon: ReactNode;
  onChange: (value: string) => void;
}

/** A text filter: applied when typing pauses, or immediately with Enter. */
const TextFilter = ({ label, value, max, suggestions = [], icon, onChange }: TextFilterProps) => {
  const { text, onType, onEnter } = useTypedText(value, (next) => onChange(next.trim()));
  return (
    <Autocomplete
      aria-label={label}
      placeholder={label}
      leftSection={icon}
      data={suggestions}
      value={text}
      maxLength={max}
      w={170}
      onChange={onType}
      onKeyDown={onEnter}
    />
  );
};

const IdleFilter = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => {
  const t = useTranslations('sessions.filter');
  const { duration } = useFormat();
  const asked = idleSeconds(value);
  const choices = asked && !IDLE_CHOICES.includes(asked) ? [...IDLE_CHOICES, asked] : IDLE_CHOICES;
  return (
    <Select
      aria-label={t('idle')}
      placeholder={t('anyIdle')}
      data={choices.map((seconds) => ({
        value: String(seconds),
        label: t('idleLonger', { time: duration(seconds) }),
      }))}
      value={asked ? String(asked) : null}
      onChange={(seconds) => onChange(seconds ?? '')}
      clearable
      w={170}
    />
  );
};
