'use client';

import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { StateTiles, stateTiles } from '@/components/patterns/state-tiles';
import { useFormat } from '@/components/patterns/use-format';
import { useNarrow } from '@/components/patterns/use-narrow';
import type { Texts } from '@/components/patterns/use-texts';
import type { AnyList, ListPartProps } from './declare-list';

type AnySelect = NonNullable<AnyList['selects']>[string];

interface FiltersProps extends ListPartProps {
  list: AnyList;
  t: Texts;
  filter: Record<string, string>;
  isFiltered: boolean;
  /** Buttons beside the filters. */
  buttons: ReactNode;
}

/** The tiles and filters of a list. */
export const ListFilters = (props: FiltersProps) => {
  const { list, t, page, filter, isFiltered, url, onChange } = props;
  const { search, searchName = 'q', selects = {}, spans = {}, status: Status, facets } = list;
  const isNarrow = useNarrow();
  const isInBar = isNarrow || facets?.inBar === true;
  const own = facets && <facets.of page={page} url={url} onChange={onChange} />;
  const active = [...Object.keys(selects), ...Object.keys(spans), ...(isInBar ? (facets?.names ?? []) : [])];
  const hasBar = search || active.length > 0 || facets || Status || list.buttons || list.bulk;
  // An empty one is a landmark without content.
  if (!hasBar) return <Tiles {...props} />;
  const optionsOf = (name: string, values: AnySelect) =>
    typeof values === 'function'
      ? (page ? values(page) : []).map((value) => ({ value, label: value }))
      : values.map((value) => ({ value, label: t(`${name}.${value}`) }));
  return (
    <>
      <Tiles {...props} />
      {!isInBar && own}
      <FilterBar
        search={
          search && (
            <SearchField
              value={filter[searchName] ?? ''}
              onChange={(text) => onChange({ [searchName]: text.trim() })}
              label={t('search')}
              noSecrets={search === 'noSecrets'}
            />
          )
        }
        active={active.filter((name) => filter[name] !== undefined).length}
        onClear={isFiltered ? () => onChange(list.fields) : undefined}
        status={Status && <Status of={page} isFiltered={isFiltered} />}
        actions={props.buttons}
      >
        {isInBar && own}
        {Object.entries(selects).map(([name, values]) => (
          <FilterSelect
            key={name}
            label={t(`column.${name}`)}
            any={t(`any.${name}`)}
            data={optionsOf(name, values)}
            value={filter[name] ?? ''}
            onChange={(value) => onChange({ [name]: value })}
            searchable={typeof values === 'function'}
          />
        ))}
        {Object.entries(spans).map(([name, choices]) => (
          <SpanSelect
            key={name}
            name={name}
            choices={choices}
            t={t}
            value={filter[name] ?? ''}
            onChange={onChange}
          />
        ))}
      </FilterBar>
    </>
  );
};

interface SpanSelectProps extends Pick<FiltersProps, 't' | 'onChange'> {
  name: string;
  choices: readonly number[];
  value: string;
}

const SpanSelect = ({ name, choices, t, value, onChange }: SpanSelectProps) => {
  const format = useFormat();
  const all = value === '' || choices.includes(Number(value)) ? choices : [...choices, Number(value)];
  return (
    <FilterSelect
      label={t(`span.${name}`)}
      any={t(`any.${name}`)}
      data={all.map((seconds) => ({
        value: String(seconds),
        label: t(`time.${name}`, { time: format.duration(seconds) }),
      }))}
      value={value}
      onChange={(seconds) => onChange({ [name]: seconds })}
      width={190}
    />
  );
};

const Tiles = ({ list: { states }, t, page, filter, onChange }: FiltersProps) => {
  const shared = useTranslations('patterns.list');
  if (!states) return null;
  const { name, age: Age } = states;
  const tiles = stateTiles<string>({
    tones: states.tones,
    name: (id) => t(`${name}.${id}`),
    means: (id) => t(`${name}Means.${id}`),
    count: (id) => (page === undefined ? undefined : states.count(page, id)),
    chosen: filter[name] ?? '',
    onState: (id) => onChange({ [name]: id }),
  });
  return (
    <StateTiles
      label={t('states')}
      tiles={[
        { id: 'total', name: shared('all'), count: page === undefined ? undefined : states.total(page) },
        ...tiles,
      ]}
      loading={page === undefined}
      hint={shared('tilesHint')}
      age={<Age of={page} />}
    />
  );
};
