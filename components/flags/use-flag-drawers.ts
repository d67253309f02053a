'use client';

import { useMemo, useState } from 'react';
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
  const [deleting, setDeleting] = useState<{ flag: Flag | null; opened: boolean }>({
    flag: null,
    opened: false,
  });
  const [decision, setDecision] = useState<{ deciding: Deciding | null; opened: boolean }>({
    deciding: null,
    opened: false,
  });
  const actions = useMemo(
    (): FlagActions => ({
      history: ({ name }) => setUrl({ history: name, plan: '' }),
      plan: ({ name }) => setUrl({ plan: name, history: '' }),
      remove: (flag) => setDeleting({ flag, opened: true }),
      decide: (decision, request) => setDecision({ deciding: { decision, request }, opened: true }),
    }),
    [setUrl],
  );
  return {
    actions,
    creating: { opened: creating, open: () => setCreating(true), onClose: () => setCreating(false) },
    // What is in a drawer stays while it slides away.
    deleting: { ...deleting, onClose: () => setDeleting({ ...deleting, opened: false }) },
    decision: { ...decision, onClose: () => setDecision({ ...decision, opened: false }) },
  };
};
