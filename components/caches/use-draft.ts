'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { type Draft, type DraftFields, draftOf, fieldsOf } from './draft';

const TYPING_MS = 400;

export interface DraftState {
  draft: Draft;
  /** The same once nobody types any more: what is counted. */
  settled: Draft;
  change: (part: Partial<Draft>) => void;
}

/** What is named in a drawer: begun from the address each time it opens, and written there as far as that is safe. */
export const useDraft = (
  opened: boolean,
  url: DraftFields,
  setUrl: (change: Partial<DraftFields>) => void,
): DraftState => {
  const [draft, setDraft] = useState(() => draftOf(url));
  const [wasOpened, setWasOpened] = useState(opened);
  const [settled] = useDebouncedValue(draft, TYPING_MS);
  if (opened !== wasOpened) {
    setWasOpened(opened);
    if (opened) setDraft(draftOf(url));
  }
  const change = (part: Partial<Draft>) => {
    // Branches are those of one entity.
    const other = 'without' in part ? {} : { without: [] };
    const next = { ...draft, ...part, ...other };
    setDraft(next);
    setUrl(fieldsOf(next));
  };
  return { draft, settled, change };
};
