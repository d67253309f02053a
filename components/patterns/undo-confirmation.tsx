'use client';

import { Button, Code, Group, Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { AS_TYPED } from './as-typed';

interface ConfirmFieldProps {
  /** The connection's id. */
  wanted: string;
  typed: string;
  onType: (typed: string) => void;
  autoFocus?: boolean;
}

/** The field to type the id of a production connection. */
export const ConfirmField = ({ wanted, typed, onType, autoFocus = false }: ConfirmFieldProps) => {
  const t = useTranslations('patterns.change');
  return (
    <TextInput
      label={t.rich('confirm', { id: wanted, code: (id) => <Code>{id}</Code> })}
      value={typed}
      onChange={(event) => onType(event.currentTarget.value)}
      autoFocus={autoFocus}
      {...AS_TYPED}
    />
  );
};

interface UndoConfirmationProps {
  wanted: string;
  onConfirm: (confirm: string) => void;
}

/** Replaces an Undo button after the server asked for the connection's id. */
export const UndoConfirmation = ({ wanted, onConfirm }: UndoConfirmationProps) => {
  const tWord = useTranslations('words');
  const [typed, setTyped] = useState('');
  const ready = typed.trim() === wanted;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onConfirm(wanted);
      }}
    >
      <Stack gap="xs" mt={6}>
        <ConfirmField wanted={wanted} typed={typed} onType={setTyped} autoFocus />
        <Group justify="flex-end">
          <Button type="submit" size="compact-sm" disabled={!ready}>
            {tWord('undo')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};
