'use client';

import { ComboboxChevron, Input, InputBase } from '@mantine/core';
import type { SelectProps } from './loaded-select';
import { onDemand } from './on-demand';
import { type TakesOver, usesOf, useTakesOver } from './take-over';

/** Looks like Mantine's select. */
export const ClosedSelect = ({
  data,
  value,
  onChange,
  searchable = false,
  clearable = false,
  allowDeselect: _,
  use,
  onUse,
  ...input
}: SelectProps & TakesOver) => {
  const chosen = data.find((option) => (typeof option === 'string' ? option : option.value) === value);
  return (
    <InputBase
      {...input}
      {...usesOf({ use, onUse })}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      readOnly
      pointer={!searchable}
      value={typeof chosen === 'object' ? chosen.label : (chosen ?? '')}
      rightSectionPointerEvents="none"
      __defaultRightSection={<ComboboxChevron aria-hidden />}
      __clearable={clearable && value !== null}
      __clearSection={<Input.ClearButton tabIndex={-1} aria-hidden onClick={() => onChange(null)} />}
    />
  );
};

const LoadedSelect = onDemand(
  async () => (await import('./loaded-select')).LoadedSelect,
  'idle',
  ClosedSelect,
);

/** Mantine's select; its list, with the positioning it brings, is loaded on demand. */
export const Select = (props: SelectProps) => <LoadedSelect {...props} {...useTakesOver()} />;
