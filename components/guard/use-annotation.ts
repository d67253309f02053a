'use client';

import { useTranslations } from 'next-intl';
import { useCallback, useState } from 'react';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { type Annotation, type Member, useAnnotateBans } from './queries';

/** Another note or end of one ban: what is being asked, and the toast with Undo. */
export const useAnnotation = () => {
  const t = useTranslations('guard.annotate');
  const { id } = useConnection();
  const { mutate, reset, isPending, error } = useAnnotateBans(id);
  const undoToast = useUndoToast();
  const [member, setMember] = useState<Member | null>(null);
  const [opened, setOpened] = useState(false);
  const ask = useCallback(
    (asked: Member) => {
      reset();
      setMember(asked);
      setOpened(true);
    },
    [reset],
  );
  const onSubmit = (annotation: Annotation, words: ChangeWords) => {
    if (!member) return;
    mutate(
      { memberIds: [member.memberId], ...annotation, ...words },
      {
        onSuccess: ({ changed, auditId, undoUntil }) => {
          setOpened(false);
          undoToast({ message: t(changed > 0 ? 'done' : 'gone'), auditId, undoUntil });
        },
      },
    );
  };
  return {
    ask,
    drawer: { member, opened, onClose: () => setOpened(false), pending: isPending, error, onSubmit },
  };
};
