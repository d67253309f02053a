'use client';

import { Alert, Textarea } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { MONOSPACE } from '@/components/patterns/as-typed';
import { HostileText } from '@/components/patterns/hostile-text';
import { type GuardSet, MAX_ENTRIES, pastedEntries, refusedEntries } from './pasted';

const SHOWN = 5;

interface EntriesFieldProps {
  set: GuardSet;
  text: string;
  onChange: (text: string) => void;
}

/** Whether the server would accept the list. */
export const isSendable = (set: GuardSet, entries: readonly string[]): boolean =>
  entries.length > 0 && entries.length <= MAX_ENTRIES && refusedEntries(set, entries).length === 0;

/** One entry or a pasted list, with the lines that would make the server refuse the list. */
export const EntriesField = ({ set, text, onChange }: EntriesFieldProps) => {
  const t = useTranslations('guard');
  const entries = pastedEntries(text);
  const refused = refusedEntries(set, entries);
  return (
    <>
      <Textarea
        label={t(`${set}.add.field`)}
        description={t(`${set}.add.hint`)}
        placeholder={t(`${set}.add.example`)}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        autoComplete="off"
        styles={MONOSPACE}
        data-autofocus
      />
      {entries.length > MAX_ENTRIES && <Alert color="orange">{t('tooMany', { most: MAX_ENTRIES })}</Alert>}
      {refused.length > 0 && (
        <Alert color="orange" title={t(`${set}.add.refused`, { count: refused.length })}>
          {refused.slice(0, SHOWN).map((entry, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pasted line may come twice
            <div key={i}>
              <HostileText max={60}>{entry}</HostileText>
            </div>
          ))}
        </Alert>
      )}
    </>
  );
};
