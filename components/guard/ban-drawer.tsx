'use client';

import { Alert, Checkbox, Textarea } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { AddDrawer, type AddingProps, isSendable } from './add-drawer';
import { type BanEnd, endFault, endTime, FIRST_END } from './ban-end';
import { BanPreview, useBanPreview } from './ban-preview';
import { EndField } from './end-field';
import { pastedEntries } from './pasted';

export const MAX_NOTE = 500;

interface BanDrawerProps extends AddingProps {
  /** The address to ban that the user came with; the field starts with it. */
  initial: string;
}

interface Draft {
  text: string;
  note: string;
  end: BanEnd;
  /** Consent to ban the user's own address. */
  ownToo: boolean;
}

const draftOf = (text: string): Draft => ({ text, note: '', end: FIRST_END, ownToo: false });

/** Bans addresses, with a preview of the result per line. */
export const BanDrawer = ({ initial, ...drawer }: BanDrawerProps) => {
  const { opened } = drawer;
  const t = useTranslations('guard');
  const { id } = useConnection();
  const [draft, setDraft] = useState<Draft>(draftOf(initial));
  useEffect(() => {
    if (opened) setDraft(draftOf(initial));
  }, [opened, initial]);
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }));
  const sendable = isSendable('bans', pastedEntries(draft.text));
  const preview = useBanPreview(id, draft.text, opened && sendable);
  const isCustom = preview.items?.some(({ warning }) => warning !== null) ?? false;
  const more = () => {
    const expiresAt = endTime(draft.end, Date.now());
    const note = draft.note.trim();
    return { ...(note ? { note } : {}), ...(expiresAt ? { expiresAt } : {}) };
  };
  return (
    <AddDrawer
      {...drawer}
      set="bans"
      text={draft.text}
      onText={(text) => change({ text })}
      more={more}
      adds={preview.items?.filter(({ status }) => status === 'added').length}
      blocked={endFault(draft.end, Date.now()) !== null || preview.pending || (isCustom && !draft.ownToo)}
    >
      {preview.items && <BanPreview items={preview.items} />}
      {isCustom && (
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
      <Textarea
        label={t('column.note')}
        description={t('note.hint')}
        value={draft.note}
        maxLength={MAX_NOTE}
        autosize
        minRows={1}
        maxRows={5}
        onChange={(event) => change({ note: event.currentTarget.value })}
      />
      <EndField value={draft.end} onChange={(end) => change({ end })} />
    </AddDrawer>
  );
};
