'use client';

import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { useUndoToast } from '@/components/patterns/undo-toast';
import type { Flag } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { useTwoPerson } from './policy';
import { useFlagChange, useSetFlag } from './queries';

/** Turning one flag on or off, or asking for it where two people are needed. */
export const useTurning = (flag: Flag) => {
  const t = useTranslations('flags');
  const { id } = useConnection();
  const asking = useTwoPerson();
  const set = useSetFlag(id);
  const request = useFlagChange('request', id);
  const toast = useUndoToast();
  // The flag as it was when the question was put: its etag tells whether somebody was quicker.
  const [seen, setSeen] = useState<Flag | null>(null);
  const [opened, setOpened] = useState(false);
  const { isPending, error } = asking ? request : set;
  const name = visibleText(flag.name, 60);

  const ask = () => {
    set.reset();
    request.reset();
    setSeen(flag);
    setOpened(true);
  };
  const submit = (enabled: boolean, etag: string, reason: string) => {
    const wanted = { name: flag.name, enabled, etag, ...(reason ? { reason } : {}) };
    if (asking)
      request.mutate(wanted, {
        onSuccess: ({ auditId }) => {
          setOpened(false);
          toast({ message: t('request.made', { name }), auditId });
        },
      });
    else
      set.mutate(wanted, {
        onSuccess: ({ auditId, undoUntil }) => {
          setOpened(false);
          toast({ message: t(enabled ? 'isOn' : 'isOff', { name }), auditId, undoUntil });
        },
      });
  };
  return {
    asking,
    seen,
    opened,
    pending: isPending,
    error,
    /** Where the switch stands: already where it goes while the server decides. */
    shown: set.isPending ? set.variables.enabled : flag.enabled === true,
    ask,
    submit,
    close: () => {
      if (!isPending) setOpened(false);
    },
  };
};
