'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import { guardContracts } from '@/lib/guard/schema';
import type { GuardSet, Member } from './queries';

const SHOWN = 8;
const REMOVE = { bans: guardContracts.blacklistRemove, projects: guardContracts.projectsUnblock };

interface RemoveDrawerProps {
  set: GuardSet;
  members: Member[];
  opened: boolean;
  onClose: () => void;
  /** Seconds until a change takes effect; null while unknown. */
  seconds: number | null;
  onRemoved: () => void;
}

/** Lifts bans or unblocks projects, with the consequence for their senders. */
export const RemoveDrawer = ({ set, members, seconds, onRemoved, ...drawer }: RemoveDrawerProps) => {
  const t = useTranslations('guard');
  const { id } = useConnection();
  const remove = useCommand(REMOVE[set], id);
  const count = members.length;
  return (
    <FormDrawer
      {...drawer}
      title={t(`${set}.remove.title`, { count })}
      verb={t(`${set}.remove.verb`, { count })}
      destructive
      needsConfirmation
      change={remove}
      input={(words) => ({ memberIds: members.map(({ memberId }) => memberId), ...words })}
      done={({ removed, alreadyGone, inForceWithinSeconds }) =>
        t(`${set}.remove.done`, { count: removed, gone: alreadyGone, seconds: inForceWithinSeconds })
      }
      onDone={onRemoved}
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
    </FormDrawer>
  );
};
