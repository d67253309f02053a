'use client';

import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { type Answered, FormDrawer, type FormDrawerProps } from '@/components/patterns/form-drawer';
import type { KeyDetails } from '@/lib/keys/schema';
import { Conflict, isChanged, SeenNote, useConflict } from './conflict';
import type { EditDrawerProps } from './edits';
import { type KeyChange, readKey, useKeyChange } from './queries';

/** A change of a key as it was read, and of what is stored now if somebody else changed it first. */
export const useKeyEdit = <C extends KeyChange>(contract: C, { keyId, etag }: KeyDetails) => {
  const { id } = useConnection();
  const change = useKeyChange(contract);
  const conflict = useConflict(() => readKey(id, keyId));
  const inConflict = isChanged(change.error);
  return {
    change,
    conflict,
    /** The key, in the input of the change. */
    target: { keyId, etag: conflict.current?.etag ?? etag },
    /** For every edit of a field: it answers a refusal, but not a conflict. */
    edited: () => {
      if (!inConflict) change.reset();
    },
  };
};

interface KeyFormProps<Input, Answer extends Answered>
  extends EditDrawerProps,
    Omit<FormDrawerProps<Input, Answer>, 'operation' | 'confirm' | 'error' | keyof EditDrawerProps> {
  conflict: Pick<ReturnType<typeof useConflict>, 'current' | 'error' | 'onRefused'>;
  /** What this change would store, and what is stored now, null where it no longer exists. */
  yours: ReactNode;
  current: ReactNode | null;
  /** Loads what is stored into the fields, where it can be edited here. */
  onLoad?: (() => void) | null;
}

/** A form for one change of a key, with both values where somebody else changed it first. */
export const KeyForm = <Input, Answer extends Answered>(props: KeyFormProps<Input, Answer>) => {
  const { details, now, conflict, yours, current, onLoad = null, children, ...form } = props;
  const { change, blocked, onRefused } = form;
  const inConflict = isChanged(change.error);
  return (
    <FormDrawer
      {...form}
      blocked={blocked || (inConflict && !conflict.current)}
      onRefused={(error) => {
        conflict.onRefused(error);
        onRefused?.(error);
      }}
      error={inConflict ? null : change.error}
    >
      <Stack gap="sm">
        <SeenNote seen={details} now={now} hidden={!form.opened || change.isPending || inConflict} />
        {children}
        {inConflict && (conflict.current || conflict.error) && (
          <Conflict error={conflict.error} yours={yours} current={current} onLoad={onLoad} />
        )}
      </Stack>
    </FormDrawer>
  );
};
