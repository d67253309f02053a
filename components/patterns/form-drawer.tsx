'use client';

import type { UseMutationResult } from '@tanstack/react-query';
import { ChangeDrawer, type ChangeDrawerProps, type ChangeWords } from './change-drawer';
import { useUndoToast } from './undo-toast';

/** What a change answers, as far as the toast is concerned. */
interface Answered {
  auditId: string | null;
  undoUntil?: string | null | undefined;
  /** Why it cannot be undone. */
  noUndo?: string | null | undefined;
}

interface FormDrawerProps<Input, Answer extends Answered>
  extends Omit<ChangeDrawerProps, 'pending' | 'error' | 'onSubmit'> {
  change: UseMutationResult<Answer, Error, Input>;
  /** What the fields hold, as the change takes it. */
  input: (words: ChangeWords) => Input;
  /** What the toast says of it; null where something else says it. */
  done: (answer: Answer) => string | null;
  onDone?: (answer: Answer) => void;
  onRefused?: (error: Error) => void;
  /** What no field says of a refusal; the whole of it unless given. */
  error?: unknown;
}

/** A change of one form: sends it, closes when it is made, and offers Undo. What was refused is forgotten at closing. */
export const FormDrawer = <Input, Answer extends Answered>(props: FormDrawerProps<Input, Answer>) => {
  const { change, input, done, onDone, onRefused, error = change.error, ...drawer } = props;
  const undoToast = useUndoToast();
  const close = () => {
    change.reset();
    drawer.onClose();
  };
  const submit = (words: ChangeWords) =>
    change.mutate(input(words), {
      onSuccess: (answer) => {
        close();
        onDone?.(answer);
        const { auditId, undoUntil, noUndo } = answer;
        const message = done(answer);
        if (message !== null)
          undoToast({ message: noUndo ? `${message} ${noUndo}` : message, auditId, undoUntil });
      },
      ...(onRefused && { onError: onRefused }),
    });
  return (
    <ChangeDrawer {...drawer} onClose={close} pending={change.isPending} error={error} onSubmit={submit} />
  );
};
