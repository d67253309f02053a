'use client';

import { Input, InputBase } from '@mantine/core';
import type { SelectProps } from './loaded-select';
import { onDemand } from './on-demand';
import { type TakesOver, usesOf, useTakesOver } from './take-over';

const CHEVRON =
  'M4.93179 5.43179C4.75605 5.60753 4.75605 5.89245 4.93179 6.06819C5.10753 6.24392 5.39245 6.24392 5.56819 6.06819L7.49999 4.13638L9.43179 6.06819C9.60753 6.24392 9.89245 6.24392 10.0682 6.06819C10.2439 5.89245 10.2439 5.60753 10.0682 5.43179L7.81819 3.18179C7.73379 3.0974 7.61933 3.04999 7.49999 3.04999C7.38064 3.04999 7.26618 3.0974 7.18179 3.18179L4.93179 5.43179ZM10.0682 9.56819C10.2439 9.39245 10.2439 9.10753 10.0682 8.93179C9.89245 8.75606 9.60753 8.75606 9.43179 8.93179L7.49999 10.8636L5.56819 8.93179C5.39245 8.75606 5.10753 8.75606 4.93179 8.93179C4.75605 9.10753 4.75605 9.39245 4.93179 9.56819L7.18179 11.8182C7.35753 11.9939 7.64245 11.9939 7.81819 11.8182L10.0682 9.56819Z';

const Chevron = () => (
  <svg
    viewBox="0 0 15 15"
    width="1.125rem"
    height="1.125rem"
    style={{ color: 'light-dark(var(--mantine-color-gray-6), var(--mantine-color-dark-3))' }}
    aria-hidden
  >
    <path d={CHEVRON} fill="currentColor" fillRule="evenodd" clipRule="evenodd" />
  </svg>
);

/** Looks like Mantine's select. */
const ClosedSelect = ({
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
      __defaultRightSection={<Chevron />}
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
