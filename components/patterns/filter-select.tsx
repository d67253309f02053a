'use client';

import { useTranslations } from 'next-intl';
import { useConnections } from './connection';
import { Select } from './select';
import { textWidth } from './text-width';

/** Pixels beside the text: padding and the arrow. */
const AROUND = 56;

interface FilterSelectProps {
  label: string;
  /** Shown while nothing is chosen. */
  any: string;
  data: { value: string; label: string }[];
  /** Empty: not filtered. */
  value: string;
  onChange: (value: string) => void;
  searchable?: boolean;
  width?: number;
}

/** A filter above a table: one value, or any. */
export const FilterSelect = ({
  label,
  any,
  data,
  value,
  onChange,
  searchable = false,
  width = 170,
}: FilterSelectProps) => (
  <Select
    aria-label={label}
    placeholder={any}
    data={data}
    value={value || null}
    onChange={(chosen) => onChange(chosen ?? '')}
    searchable={searchable}
    clearable
    w={Math.max(width, textWidth(any) + AROUND)}
  />
);

interface ApplicationSelectProps extends Pick<FilterSelectProps, 'value' | 'onChange'> {
  apps: readonly string[];
}

/** One of the applications of a catalog, or any. */
export const ApplicationSelect = ({ apps, value, onChange }: ApplicationSelectProps) => {
  const tWord = useTranslations('words');
  return (
    <FilterSelect
      label={tWord('application')}
      any={tWord('anyApplication')}
      data={apps.map((app) => ({ value: app, label: app }))}
      value={value}
      onChange={onChange}
    />
  );
};

/** One of the configured connections, or any. */
export const ConnectionSelect = ({ value, onChange }: Pick<FilterSelectProps, 'value' | 'onChange'>) => {
  const t = useTranslations('patterns.filter');
  const tWord = useTranslations('words');
  const data = useConnections().map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FilterSelect
      label={tWord('connection')}
      any={t('anyConnection')}
      data={data}
      value={value}
      onChange={onChange}
    />
  );
};
