'use client';

import { useTranslations } from 'next-intl';
import { useCallback, useState } from 'react';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { useUndoToast } from '@/components/patterns/undo-toast';
import type { RateWindow } from '@/lib/rate-limits/schema';
import { visibleText } from '@/lib/visible-text';
import { useChangeWindow, type WindowChange } from './queries';

/** What is asked about: the window as it was when somebody decided. */
export interface Asked {
  kind: WindowChange['kind'];
  window: RateWindow;
}

/** A reset or a repair from the question to the toast with Undo. */
export const useWindowChanges = () => {
  const t = useTranslations('limits');
  const { id } = useConnection();
  const change = useChangeWindow(id);
  const undoToast = useUndoToast();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [opened, setOpened] = useState(false);

  const { reset } = change;
  const ask = useCallback(
    (kind: Asked['kind'], window: RateWindow) => {
      reset();
      setAsked({ kind, window });
      setOpened(true);
    },
    [reset],
  );
  const submit = (replace: boolean, words: ChangeWords) => {
    if (!asked) return;
    const what = visibleText(asked.window.field, 40);
    change.mutate(
      { ...asked, replace, words },
      {
        onSuccess: ({ auditId, undoUntil }) => {
          setOpened(false);
          undoToast({ message: t(`${asked.kind}.done`, { what }), auditId, undoUntil });
        },
      },
    );
  };
  return {
    asked,
    opened,
    ask,
    submit,
    close: () => setOpened(false),
    pending: change.isPending,
    error: change.error,
  };
};

export type WindowChanges = ReturnType<typeof useWindowChanges>;
