'use client';

import { Stack, Textarea } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import { guardContracts } from '@/lib/guard/schema';
import { MAX_NOTE } from './ban-drawer';
import { endFault, endOf, endTime } from './ban-end';
import { EndField } from './end-field';
import type { Member } from './queries';

interface AnnotateDrawerProps {
  /** The ban; stays while the drawer closes. */
  member: Member | null;
  opened: boolean;
  onClose: () => void;
}

const draftOf = (member: Member | null) => ({
  note: member?.note ?? '',
  end: endOf(member?.expiresAt ?? null),
});

/** Edits the note and the expiry of a ban. */
export const AnnotateDrawer = ({ member, opened, onClose }: AnnotateDrawerProps) => {
  const t = useTranslations('guard');
  const { id } = useConnection();
  const annotate = useCommand(guardContracts.blacklistAnnotate, id);
  const [draft, setDraft] = useState(draftOf(member));
  // A change by somebody else while the drawer is open must not discard the draft.
  // biome-ignore lint/correctness/useExhaustiveDependencies: resets only when it opens
  useEffect(() => {
    if (opened) setDraft(draftOf(member));
  }, [opened]);
  const before = draftOf(member);
  const note = draft.note.trim();
  const noteChanged = note !== before.note;
  const endChanged = draft.end.kind !== before.end.kind || draft.end.at !== before.end.at;
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      title={t('annotate.title')}
      verb={t('annotate.verb')}
      blocked={(!noteChanged && !endChanged) || (endChanged && endFault(draft.end, Date.now()) !== null)}
      change={annotate}
      input={(words) => ({
        memberIds: member ? [member.memberId] : [],
        ...(noteChanged ? { note: note || null } : {}),
        ...(endChanged ? { expiresAt: endTime(draft.end, Date.now()) } : {}),
        ...words,
      })}
      done={({ changed }) => t(changed > 0 ? 'annotate.done' : 'annotate.gone')}
    >
      <Stack gap="sm">
        <span>
          {t.rich('annotate.consequence', { what: () => <KeyText max={60}>{member?.member}</KeyText> })}
        </span>
        <Textarea
          label={t('note.field')}
          value={draft.note}
          maxLength={MAX_NOTE}
          autosize
          minRows={1}
          maxRows={5}
          onChange={(event) => setDraft({ ...draft, note: event.currentTarget.value })}
          data-autofocus
        />
        <EndField value={draft.end} onChange={(end) => setDraft({ ...draft, end })} />
      </Stack>
    </FormDrawer>
  );
};
