'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { useCommand } from '@/components/patterns/use-command';
import type { Flag } from '@/lib/flags/schema';
import { flagContracts } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { useTwoPerson } from './policy';
import { flagQueries } from './queries';

/** Turns one flag on or off, or requests it where approval is needed. */
export const useFlagToggle = (flag: Flag) => {
  const t = useTranslations('flags');
  const { id } = useConnection();
  const needsApproval = useTwoPerson();
  const client = useQueryClient();
  // The answer updates the row immediately; a refetch brings the rest.
  const set = useCommand(flagContracts.set, undefined, {
    onSuccess: ({ name, enabled, raw, etag }) =>
      client.setQueryData(
        flagQueries.list(id).queryKey,
        (list) =>
          list && {
            ...list,
            items: list.items.map((flag) => (flag.name === name ? { ...flag, enabled, raw, etag } : flag)),
          },
      ),
  });
  const request = useCommand(flagContracts.request);
  const toast = useUndoToast();
  // The flag when the confirmation opened: its etag detects a change made since.
  const [seen, setSeen] = useState<Flag | null>(null);
  const [opened, setOpened] = useState(false);
  const { isPending, error } = needsApproval ? request : set;
  const name = visibleText(flag.name, 60);

  const open = () => {
    set.reset();
    request.reset();
    setSeen(flag);
    setOpened(true);
  };
  const submit = (enabled: boolean, etag: string, reason: string) => {
    const input = { name: flag.name, enabled, etag, ...(reason ? { reason } : {}) };
    if (needsApproval)
      request.mutate(input, {
        onSuccess: ({ auditId }) => {
          setOpened(false);
          toast({ message: t('request.made', { name }), auditId });
        },
      });
    else
      set.mutate(input, {
        onSuccess: ({ auditId, undoUntil }) => {
          setOpened(false);
          toast({ message: t(enabled ? 'isOn' : 'isOff', { name }), auditId, undoUntil });
        },
      });
  };
  return {
    needsApproval,
    seen,
    opened,
    pending: isPending,
    error,
    /** The switch's position: the new state while the request runs. */
    shown: set.isPending ? set.variables.enabled : flag.enabled === true,
    open,
    submit,
    close: () => {
      if (!isPending) setOpened(false);
    },
  };
};
