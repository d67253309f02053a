'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { type Draft, type DraftFields, draftOf, fieldsOf } from './draft';

const TYPING_MS = 400;

export interface DraftState {
  draft: Draft;
  /** The draft after typing has paused: the preview counts this one. */
  settled: Draft;
  change: (part: Partial<Draft>) => void;
}

/** The draft of a drawer: read from the address each time it opens, and written there except for what may be secret. */
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
    // Excluded branches belong to one entity.
    const other = 'without' in part ? {} : { without: [] };
    const next = { ...draft, ...part, ...other };
    setDraft(next);
    setUrl(fieldsOf(next));
  };
  return { draft, settled, change };
};
