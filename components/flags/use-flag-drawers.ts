'use client';

import { useMemo, useState } from 'react';
import { useOpened } from '@/components/patterns/use-opened';
import type { Flag } from '@/lib/flags/schema';
import type { Deciding } from './decide-drawer';
import type { FlagActions } from './flag-columns';

interface UrlState {
  history: string;
  schedule: string;
}

/** The open drawer. History and schedule are in the URL, so links reopen them; forms are not. */
export const useFlagDrawers = (setUrl: (change: Partial<UrlState>) => void) => {
  const [creating, setCreating] = useState(false);
  const describing = useOpened<Flag>();
  const deleting = useOpened<Flag>();
  const decision = useOpened<Deciding>();
  const [describe, remove, decide] = [describing.open, deleting.open, decision.open];
  const actions = useMemo(
    (): FlagActions => ({
      history: ({ name }) => setUrl({ history: name, schedule: '' }),
      schedule: ({ name }) => setUrl({ schedule: name, history: '' }),
      describe,
      remove,
      decide: (decision, request) => decide({ decision, request }),
    }),
    [setUrl, describe, remove, decide],
  );
  return {
    actions,
    creating: { opened: creating, open: () => setCreating(true), onClose: () => setCreating(false) },
    describing,
    deleting: { flag: deleting.about, opened: deleting.opened, onClose: deleting.close },
    decision: { deciding: decision.about, opened: decision.opened, onClose: decision.close },
  };
};
