'use client';

import { useMemo, useState } from 'react';
import { useOpened } from '@/components/patterns/use-opened';
import type { Flag } from '@/lib/flags/schema';
import type { Deciding } from './decide-drawer';
import type { FlagActions } from './flag-columns';

interface Address {
  history: string;
  plan: string;
}

/**
 * What is open beside the list. A history or a plan is in the address, so that a link shows it again; a change that
 * is being made is not.
 */
export const useFlagDrawers = (setUrl: (change: Partial<Address>) => void) => {
  const [creating, setCreating] = useState(false);
  const deleting = useOpened<Flag>();
  const decision = useOpened<Deciding>();
  const [remove, decide] = [deleting.open, decision.open];
  const actions = useMemo(
    (): FlagActions => ({
      history: ({ name }) => setUrl({ history: name, plan: '' }),
      plan: ({ name }) => setUrl({ plan: name, history: '' }),
      remove,
      decide: (decision, request) => decide({ decision, request }),
    }),
    [setUrl, remove, decide],
  );
  return {
    actions,
    creating: { opened: creating, open: () => setCreating(true), onClose: () => setCreating(false) },
    deleting: { flag: deleting.about, opened: deleting.opened, onClose: deleting.close },
    decision: { deciding: decision.about, opened: decision.opened, onClose: decision.close },
  };
};
