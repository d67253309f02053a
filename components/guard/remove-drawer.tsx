'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import { guardContracts } from '@/lib/guard/schema';
import type { GuardSet } from './pasted';

const SHOWN = 8;
const REMOVE = { bans: guardContracts.blacklistRemove, projects: guardContracts.projectsUnblock };

interface RemoveDrawerProps
  extends RowDrawerProps<{ memberId: string; member: string }, { inForceWithinSeconds: number }> {
  set: GuardSet;
}

/** Lifts bans or unblocks projects, with the consequence for their senders. */
export const RemoveDrawer = ({ set, rows: members, page, onApplied, ...drawer }: RemoveDrawerProps) => {
  const t = useTranslations('guard');
  const tWord = useTranslations('words');
  const remove = useCommand(REMOVE[set]);
  const count = members.length;
  const verb = t(`${set}.remove.many`, { count });
  return (
    <FormDrawer
      {...drawer}
      title={verb}
      verb={verb}
      destructive
      needsConfirmation
      change={remove}
      input={(words) => ({ memberIds: members.map(({ memberId }) => memberId), ...words })}
      done={({ removed, alreadyGone, inForceWithinSeconds }) =>
        t(`${set}.remove.done`, { count: removed, gone: alreadyGone, seconds: inForceWithinSeconds })
      }
      onDone={() => onApplied?.()}
    >
      <Stack gap="sm">
        <ul style={{ margin: 0, paddingInlineStart: 18 }}>
          {members.slice(0, SHOWN).map(({ memberId, member }) => (
            <li key={memberId}>
              <KeyText max={60}>{member}</KeyText>
            </li>
          ))}
          {count > SHOWN && <li>{tWord('andMore', { count: count - SHOWN })}</li>}
        </ul>
        <span>{t(`${set}.remove.consequence`)}</span>
        {page && <span>{t('inForce', { seconds: page.inForceWithinSeconds })}</span>}
      </Stack>
    </FormDrawer>
  );
};
