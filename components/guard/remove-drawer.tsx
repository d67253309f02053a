'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import type { GuardSet, Member } from './queries';

const SHOWN = 8;

interface RemoveDrawerProps {
  set: GuardSet;
  members: Member[];
  opened: boolean;
  onClose: () => void;
  seconds: number | null;
  pending: boolean;
  error: unknown;
  onSubmit: (words: ChangeWords) => void;
}

/** Which entries go, and what the collector does with their senders from then on. */
export const RemoveDrawer = ({ set, members, seconds, ...drawer }: RemoveDrawerProps) => {
  const t = useTranslations('guard');
  const count = members.length;
  return (
    <ChangeDrawer
      {...drawer}
      title={t(`${set}.remove.title`, { count })}
      verb={t(`${set}.remove.verb`, { count })}
      destructive
      needsConfirmation
    >
      <Stack gap="sm">
        <ul style={{ margin: 0, paddingInlineStart: 18 }}>
          {members.slice(0, SHOWN).map(({ memberId, member }) => (
            <li key={memberId}>
              <KeyText max={60}>{member}</KeyText>
            </li>
          ))}
          {count > SHOWN && <li>{t('andMore', { count: count - SHOWN })}</li>}
        </ul>
        <span>{t(`${set}.remove.consequence`)}</span>
        {seconds !== null && <span>{t('inForce', { seconds })}</span>}
      </Stack>
    </ChangeDrawer>
  );
};
