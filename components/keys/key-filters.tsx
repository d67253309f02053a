'use client';

import { Button, Pill } from '@mantine/core';
import { IconBinaryTree } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { useFormat } from '@/components/patterns/use-format';
import { EDITABLE_TYPES } from '@/lib/key-values/schema';
import { visibleText } from '@/lib/visible-text';
import { ALL_KEYS, isGlob, type KeyFilter, NO_FILTER, paramsIn, wholeNumber } from './key-filter';
import classes from './keys.module.css';

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = [KIB, 10 * KIB, 100 * KIB, MIB, 10 * MIB];
const TTLS = [60, 3600, 86_400, 7 * 86_400];
const STATES = ['classified', 'malformed', 'unclassified'] as const;

/** A number in the URL that is not a choice becomes one. */
const withChosen = (choices: readonly number[], chosen: string): number[] => {
  const value = wholeNumber(chosen);
  return value === null || choices.includes(value) ? [...choices] : [...choices, value].sort((a, b) => a - b);
};

interface KeyFiltersProps {
  filter: KeyFilter;
  /** The title of the selected family. */
  title: string;
  onChange: (change: Partial<KeyFilter>) => void;
  onTree: () => void;
}

/** The filters above the list, and the selection in the tree. */
export const KeyFilters = ({ filter, title, onChange, onTree }: KeyFiltersProps) => {
  const t = useTranslations('keys.filter');
  const format = useFormat();
  const { state, type, ttl, min, max } = filter;
  const types =
    type && !(EDITABLE_TYPES as readonly string[]).includes(type)
      ? [...EDITABLE_TYPES, type]
      : EDITABLE_TYPES;
  const sizes = (chosen: string, label: 'atLeast' | 'atMost') =>
    withChosen(SIZES, chosen).map((size) => ({
      value: String(size),
      label: t(label, { size: format.bytes(size) }),
    }));
  const isFiltered = Object.values(filter).some((value) => value !== '');
  return (
    <FilterBar
      search={
        <SearchField
          value={filter.q}
          onChange={(q) => onChange({ q: q.trim(), ...(isGlob(q) && { prefix: '' }) })}
          label={t('search')}
          placeholder={t('searchHint')}
          noSecrets
        />
      }
      active={[filter.prefix === '' && state, type, ttl, min, max].filter(Boolean).length}
      onClear={isFiltered ? () => onChange(NO_FILTER) : undefined}
      actions={
        <>
          <Button
            className={classes.toTree}
            variant="default"
            leftSection={<IconBinaryTree size={16} aria-hidden />}
            aria-haspopup="dialog"
            onClick={onTree}
          >
            {t('tree')}
          </Button>
          <Chosen filter={filter} title={title} onChange={onChange} />
        </>
      }
    >
      <FilterSelect
        label={t('type')}
        any={t('anyType')}
        width={110}
        data={types.map((value) => ({ value, label: value }))}
        value={type}
        onChange={(next) => onChange({ type: next })}
      />
      <FilterSelect
        label={t('ttl')}
        any={t('anyTtl')}
        width={140}
        data={[
          { value: 'none', label: t('noTtl') },
          { value: 'expiring', label: t('expiring') },
          ...withChosen(TTLS, ttl).map((seconds) => ({
            value: String(seconds),
            label: t('ttlBelow', { time: format.duration(seconds) }),
          })),
        ]}
        value={ttl}
        onChange={(next) => onChange({ ttl: next })}
      />
      <FilterSelect
        label={t('min')}
        any={t('anyMin')}
        width={130}
        data={sizes(min, 'atLeast')}
        value={min}
        onChange={(next) => onChange({ min: next })}
      />
      <FilterSelect
        label={t('max')}
        any={t('anyMax')}
        width={130}
        data={sizes(max, 'atMost')}
        value={max}
        onChange={(next) => onChange({ max: next })}
      />
      <FilterSelect
        label={t('state')}
        any={t('anyState')}
        width={140}
        data={STATES.map((value) => ({ value, label: t(`states.${value}`) }))}
        value={state}
        onChange={(next) =>
          onChange(next === 'unclassified' ? { ...ALL_KEYS, state: next } : { state: next, prefix: '' })
        }
      />
    </FilterBar>
  );
};

/** The selected family, its parameters or a prefix; each can be removed. */
const Chosen = ({ filter, title, onChange }: Omit<KeyFiltersProps, 'onTree'>) => {
  const t = useTranslations('keys.filter');
  const pills: { text: string; without: Partial<KeyFilter> }[] = [];
  if (filter.family) pills.push({ text: title, without: { family: '', params: '' } });
  const params = filter.family ? paramsIn(filter.params) : [];
  for (const [place, [name, value]] of params.entries()) {
    // Removing a parameter also removes those below it in the tree.
    const rest = new URLSearchParams(params.slice(0, place)).toString();
    pills.push({ text: `${name}: ${value}`, without: { params: rest } });
  }
  if (filter.prefix) pills.push({ text: `${filter.prefix}…`, without: { prefix: '', state: '' } });
  return pills.map(({ text, without }) => (
    <Pill
      key={text}
      size="lg"
      fz="sm"
      style={{ alignSelf: 'center' }}
      withRemoveButton
      onRemove={() => onChange(without)}
      removeButtonProps={{
        'aria-label': t('remove', { what: visibleText(text, 60) }),
        'aria-hidden': false,
        tabIndex: 0,
      }}
      data-testid="chosen"
    >
      {visibleText(text, 60)}
    </Pill>
  ));
};
