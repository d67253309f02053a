'use client';

import { Button, Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useState } from 'react';
import { looksSecret } from '@/lib/values/secret';
import { useLive } from './use-live';

interface FilterBarProps {
  children: ReactNode;
  /** Offered while something is filtered. */
  onClear?: (() => void) | undefined;
  /** What was found, announced as it changes. */
  status?: ReactNode;
}

/** The row of filters above a table. */
export const FilterBar = ({ children, onClear, status }: FilterBarProps) => {
  const t = useTranslations('patterns.filter');
  const live = useLive();
  return (
    <Group component="search" gap="xs" mb="sm" align="flex-start" wrap="wrap">
      {children}
      {onClear && (
        <Button variant="subtle" size="sm" onClick={onClear}>
          {t('clear')}
        </Button>
      )}
      {status && (
        <span
          aria-live={live}
          style={{ marginInlineStart: 'auto', alignSelf: 'center', fontSize: 'var(--mantine-font-size-sm)' }}
        >
          {status}
        </span>
      )}
    </Group>
  );
};

interface SearchFieldProps {
  value: string;
  /** Called when typing pauses for 250 ms, and at once on Enter. */
  onChange: (value: string) => void;
  label: string;
  placeholder?: string;
  /** What looks like a token goes nowhere: not into the address, where searches are kept, nor to the server. */
  noSecrets?: boolean;
}

/** A text filter: the table's `/` puts the cursor here. */
export const SearchField = ({ value, onChange, label, placeholder = label, noSecrets }: SearchFieldProps) => {
  const t = useTranslations('patterns.filter');
  const [text, setText] = useState(value);
  const refused = noSecrets === true && looksSecret(text);
  const later = useDebouncedCallback(onChange, 250);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      data-table-search
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      maxLength={200}
      w={{ base: '100%', xs: 260 }}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setText(next);
        if (noSecrets && looksSecret(next)) later.cancel();
        else later(next);
      }}
      onKeyDown={(event) => event.key === 'Enter' && !refused && onChange(text)}
      error={refused && t('secret')}
    />
  );
};
