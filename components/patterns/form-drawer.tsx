'use client';

import { ChangeDrawer, type ChangeDrawerProps, type ChangeWords } from './change-drawer';
import { confirmationAsked } from './confirmation-asked';
import { useUndoToast } from './undo-toast';
import type { Command } from './use-command';

/** The fields of a change's answer that the toast needs. */
export interface Answered {
  auditId: string | null;
  undoUntil?: string | null | undefined;
  /** Why it cannot be undone. */
  noUndo?: string | null | undefined;
}

export interface FormDrawerProps<Input, Answer extends Answered>
  extends Omit<ChangeDrawerProps, 'pending' | 'error' | 'onSubmit'> {
  change: Command<Answer, Input>;
  /** The change's input from the fields. */
  input: (words: ChangeWords) => Input;
  /** The toast's message; null for no toast. */
  done: (answer: Answer) => string | null;
  onDone?: (answer: Answer) => void;
  onRefused?: (error: Error) => void;
  /** The error to show, if fields show a part of it. */
  error?: unknown;
}

/** A form for one change: sends it, closes on success and offers Undo. Closing clears the error. */
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
    <ChangeDrawer
      operation={change.operation}
      confirm={confirmationAsked(change.error)}
      {...drawer}
      onClose={close}
      pending={change.isPending}
      error={error}
      onSubmit={submit}
    />
  );
};
