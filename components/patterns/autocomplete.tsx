'use client';

import { InputBase } from '@mantine/core';
import type { AutocompleteProps } from './loaded-autocomplete';
import { onDemand } from './on-demand';
import { type TakesOver, usesOf, useTakesOver } from './take-over';

/** Looks like Mantine's field. */
const ClosedAutocomplete = ({ data: _, onChange, use, onUse, ...input }: AutocompleteProps & TakesOver) => (
  <InputBase
    {...input}
    {...usesOf({ use, onUse })}
    role="combobox"
    aria-haspopup="listbox"
    aria-expanded={false}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

const LoadedAutocomplete = onDemand(
  async () => (await import('./loaded-autocomplete')).LoadedAutocomplete,
  'idle',
  ClosedAutocomplete,
);

/** A text field with suggestions, which are loaded on demand. */
export const Autocomplete = (props: AutocompleteProps) => (
  <LoadedAutocomplete {...props} {...useTakesOver()} />
);
