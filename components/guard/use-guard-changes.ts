'use client';

import { useTranslations } from 'next-intl';
import { useCallback, useState } from 'react';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { useUndoToast } from '@/components/patterns/undo-toast';
import {
  type Answer,
  type BanWords,
  type GuardSet,
  type Member,
  useAddMembers,
  useRemoveMembers,
} from './queries';

/** Adding to and removing from one set: what is being asked, what was answered, and the toasts with Undo. */
export const useGuardChanges = (set: GuardSet) => {
  const t = useTranslations('guard');
  const { id } = useConnection();
  const add = useAddMembers(set, id);
  const remove = useRemoveMembers(set, id);
  const undoToast = useUndoToast();
  const [adding, setAdding] = useState(false);
  const [answers, setAnswers] = useState<readonly Answer[] | null>(null);
  const [removing, setRemoving] = useState<{ members: Member[]; done?: () => void }>({ members: [] });
  const [isRemoving, setIsRemoving] = useState(false);

  const { reset } = remove;
  const { reset: resetAdd } = add;
  const openAdd = useCallback(
    (open: boolean) => {
      if (open) resetAdd();
      setAdding(open);
    },
    [resetAdd],
  );
  const askRemove = useCallback(
    (members: Member[], done?: () => void) => {
      reset();
      setRemoving(done ? { members, done } : { members });
      setIsRemoving(true);
    },
    [reset],
  );
  const submitAdd = (entries: string[], words: BanWords, close: () => void) =>
    add.mutate(
      { entries, words },
      {
        onSuccess: (done) => {
          close();
          const [only] = done.answers;
          // One entry that went in needs no table: the toast says it.
          setAnswers(done.answers.length === 1 && only?.status === 'added' ? null : done.answers);
          if (done.added === 0) return;
          const said = { count: done.added, seconds: done.inForceWithinSeconds };
          undoToast({
            message: t(`${set}.add.done`, said),
            auditId: done.auditId,
            undoUntil: done.undoUntil,
          });
        },
      },
    );
  const submitRemove = (words: ChangeWords) =>
    remove.mutate(
      { memberIds: removing.members.map(({ memberId }) => memberId), words },
      {
        onSuccess: (done) => {
          setIsRemoving(false);
          removing.done?.();
          const said = { count: done.removed, gone: done.alreadyGone, seconds: done.inForceWithinSeconds };
          undoToast({
            message: t(`${set}.remove.done`, said),
            auditId: done.auditId,
            undoUntil: done.undoUntil,
          });
        },
      },
    );
  return {
    add,
    remove,
    adding,
    setAdding: openAdd,
    answers,
    dismissAnswers: () => setAnswers(null),
    removing: removing.members,
    isRemoving,
    askRemove,
    closeRemove: () => setIsRemoving(false),
    submitAdd,
    submitRemove,
  };
};
