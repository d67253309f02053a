'use client';

import { Alert, Stack, Textarea } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import { MOST_AT_ONCE, pastedEntries, refusedEntries } from './pasted';
import type { GuardSet } from './queries';

const SHOWN = 5;

// Ligatures would draw other characters than the ones that are there.
const MONOSPACE = {
  fontFamily: 'var(--mantine-font-family-monospace)',
  fontFeatureSettings: "'liga' 0, 'calt' 0",
};

interface AddDrawerProps {
  set: GuardSet;
  opened: boolean;
  onClose: () => void;
  /** What the field holds at first: the address somebody was led here for. */
  initial: string;
  /** In how many seconds the collector follows; null while unknown. */
  seconds: number | null;
  pending: boolean;
  error: unknown;
  onSubmit: (entries: string[], words: ChangeWords) => void;
}

/** One entry or a pasted list, with what it means for those who are in it. */
export const AddDrawer = ({ set, opened, initial, seconds, onSubmit, ...drawer }: AddDrawerProps) => {
  const t = useTranslations('guard');
  const [text, setText] = useState(initial);
  useEffect(() => {
    if (opened) setText(initial);
  }, [opened, initial]);
  const entries = pastedEntries(text);
  const refused = refusedEntries(set, entries);
  const tooMany = entries.length > MOST_AT_ONCE;
  return (
    <ChangeDrawer
      {...drawer}
      opened={opened}
      title={t(`${set}.add.title`)}
      verb={t(`${set}.add.verb`, { count: Math.max(1, entries.length) })}
      destructive
      needsConfirmation={entries.length > 1}
      blocked={entries.length === 0 || refused.length > 0 || tooMany}
      onSubmit={(words) => onSubmit(entries, words)}
    >
      <Stack gap="sm">
        <span>{t(`${set}.add.consequence`)}</span>
        {seconds !== null && <span>{t('inForce', { seconds })}</span>}
        <Textarea
          label={t(`${set}.add.field`)}
          description={t(`${set}.add.hint`)}
          placeholder={t(`${set}.add.example`)}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          autoComplete="off"
          styles={{ input: MONOSPACE }}
          data-autofocus
        />
        {tooMany && <Alert color="orange">{t('tooMany', { most: MOST_AT_ONCE })}</Alert>}
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
      </Stack>
    </ChangeDrawer>
  );
};
