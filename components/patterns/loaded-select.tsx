'use client';

import { type SelectProps as MantineSelectProps, Select } from '@mantine/core';
import { type TakesOver, useTakenFocus } from './take-over';

export interface SelectProps
  extends Pick<
    MantineSelectProps<string>,
    'label' | 'aria-label' | 'placeholder' | 'className' | 'w' | 'mb'
  > {
  data: readonly (string | { value: string; label: string })[];
  value: string | null;
  onChange: (value: string | null) => void;
  searchable?: boolean;
  clearable?: boolean;
  allowDeselect?: boolean;
}

export const LoadedSelect = ({ data, use, onUse, ...select }: SelectProps & TakesOver) => (
  <Select
    {...select}
    ref={useTakenFocus({ use, onUse })}
    data={[...data]}
    defaultDropdownOpened={use === 'opened'}
  />
);
