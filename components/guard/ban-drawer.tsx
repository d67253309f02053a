'use client';

import { Alert, Checkbox, Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { type BanEnd, endFault, endTime, NO_END } from './ban-end';
import { BanPreview } from './ban-preview';
import { EndField } from './end-field';
import { EntriesField, isSendable } from './entries-field';
import { pastedEntries } from './pasted';
import type { BanWords } from './queries';
import { useBanPreview } from './use-ban-preview';

export const LONGEST_NOTE = 500;

interface BanDrawerProps {
  opened: boolean;
  onClose: () => void;
  /** What the field holds at first: the address somebody was led here for. */
  initial: string;
  /** In how many seconds the collector follows; null while unknown. */
  seconds: number | null;
  pending: boolean;
  error: unknown;
  onSubmit: (ips: string[], words: BanWords) => void;
}

interface Draft {
  text: string;
  note: string;
  end: BanEnd;
  /** Whoever bans their own address says that they know. */
  ownToo: boolean;
}

/** Addresses to ban: what becomes of each line is said before, and what the ban means. */
export const BanDrawer = ({ opened, initial, seconds, onSubmit, ...drawer }: BanDrawerProps) => {
  const t = useTranslations('guard');
  const { id } = useConnection();
  const [draft, setDraft] = useState<Draft>({ text: initial, note: '', end: NO_END, ownToo: false });
  useEffect(() => {
    if (opened) setDraft({ text: initial, note: '', end: NO_END, ownToo: false });
  }, [opened, initial]);
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }));
  const ips = pastedEntries(draft.text);
  const sendable = isSendable('blacklist', ips);
  const preview = useBanPreview(id, draft.text, opened && sendable);
  const isOwn = preview.items?.some(({ warning }) => warning !== null) ?? false;
  const submit = (words: ChangeWords) => {
    const expiresAt = endTime(draft.end, Date.now());
    const note = draft.note.trim();
    onSubmit(ips, { ...words, ...(note ? { note } : {}), ...(expiresAt ? { expiresAt } : {}) });
  };
  return (
    <ChangeDrawer
      {...drawer}
      opened={opened}
      title={t('blacklist.add.title')}
      verb={t('blacklist.add.verb', { count: Math.max(1, ips.length) })}
      destructive
      needsConfirmation={ips.length > 1}
      blocked={
        !sendable || endFault(draft.end, Date.now()) !== null || preview.pending || (isOwn && !draft.ownToo)
      }
      onSubmit={submit}
    >
      <Stack gap="sm">
        <span>{t('blacklist.add.consequence')}</span>
        {seconds !== null && <span>{t('inForce', { seconds })}</span>}
        <EntriesField set="blacklist" text={draft.text} onChange={(text) => change({ text })} />
        {preview.items && <BanPreview items={preview.items} />}
        {isOwn && (
          <Alert color="red" title={t('own.title')}>
            {t('own.text')}
            <Checkbox
              mt="xs"
              label={t('own.consent')}
              checked={draft.ownToo}
              onChange={(event) => change({ ownToo: event.currentTarget.checked })}
            />
          </Alert>
        )}
        <TextInput
          label={t('note.field')}
          description={t('note.hint')}
          value={draft.note}
          maxLength={LONGEST_NOTE}
          onChange={(event) => change({ note: event.currentTarget.value })}
        />
        <EndField value={draft.end} onChange={(end) => change({ end })} />
      </Stack>
    </ChangeDrawer>
  );
};
