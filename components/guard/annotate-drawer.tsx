'use client';

import { Stack, Textarea } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import { type BlacklistedIp, guardContracts } from '@/lib/guard/schema';
import { MAX_NOTE } from './ban-drawer';
import { endFault, endOf, endTime } from './ban-end';
import { EndField } from './end-field';

const draftOf = (ban: BlacklistedIp | null) => ({
  note: ban?.note ?? '',
  end: endOf(ban?.expiresAt ?? null),
});

/** Edits the note and the expiry of a ban. */
export const AnnotateDrawer = ({ row: ban, ...drawer }: RowDrawerProps<BlacklistedIp>) => {
  const t = useTranslations('guard');
  const annotate = useCommand(guardContracts.blacklistAnnotate);
  const [draft, setDraft] = useState(draftOf(ban));
  const before = draftOf(ban);
  const note = draft.note.trim();
  const noteChanged = note !== before.note;
  const endChanged = draft.end.kind !== before.end.kind || draft.end.at !== before.end.at;
  return (
    <FormDrawer
      {...drawer}
      title={t('annotate.verb')}
      verb={t('annotate.save')}
      blocked={(!noteChanged && !endChanged) || (endChanged && endFault(draft.end, Date.now()) !== null)}
      change={annotate}
      input={(words) => ({
        memberIds: ban ? [ban.memberId] : [],
        ...(noteChanged ? { note: note || null } : {}),
        ...(endChanged ? { expiresAt: endTime(draft.end, Date.now()) } : {}),
        ...words,
      })}
      done={({ changed }) => t(changed > 0 ? 'annotate.done' : 'annotate.gone')}
    >
      <Stack gap="sm">
        <span>
          {t.rich('annotate.consequence', { what: () => <KeyText max={60}>{ban?.member}</KeyText> })}
        </span>
        <Textarea
          label={t('column.note')}
          value={draft.note}
          maxLength={MAX_NOTE}
          autosize
          minRows={1}
          maxRows={5}
          onChange={(event) => setDraft({ ...draft, note: event.currentTarget.value })}
        />
        <EndField value={draft.end} onChange={(end) => setDraft({ ...draft, end })} />
      </Stack>
    </FormDrawer>
  );
};
