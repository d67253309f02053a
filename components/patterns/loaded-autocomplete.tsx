'use client';

import { Autocomplete, type AutocompleteProps as MantineAutocompleteProps } from '@mantine/core';
import type { KeyboardEventHandler } from 'react';
import { type TakesOver, useTakenFocus } from './take-over';

export interface AutocompleteProps
  extends Pick<MantineAutocompleteProps, 'aria-label' | 'placeholder' | 'leftSection' | 'maxLength' | 'w'> {
  data: string[];
  value: string;
  onChange: (value: string) => void;
  onKeyDown: KeyboardEventHandler<HTMLInputElement>;
}

export const LoadedAutocomplete = ({ use, onUse, ...field }: AutocompleteProps & TakesOver) => (
  <Autocomplete {...field} ref={useTakenFocus({ use, onUse })} defaultDropdownOpened={use === 'opened'} />
);
