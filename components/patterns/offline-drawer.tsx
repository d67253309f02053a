'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { presenceContracts } from '@/lib/presence/schema';
import { visibleText } from '@/lib/visible-text';
import { useCommand } from './use-command';

interface OfflineDrawerProps {
  user: { id: string; title: string | null } | null;
  /** The target of the change: a user id, or a member that is not an id. */
  named: { userId: string } | { memberId: string };
  opened: boolean;
  onClose: () => void;
  onClosed?: () => void;
}

/** Removes a user from the list of online users, and explains what that does not do. */
export const OfflineDrawer = ({ user, named, ...drawer }: OfflineDrawerProps) => {
  const t = useTranslations('presence.offline');
  const change = useCommand(presenceContracts.setOffline);
  const name = user ? visibleText(user.title || user.id, 60) : '';
  return (
    <FormDrawer
      {...drawer}
      title={t('title', { key: name })}
      verb={t('verb')}
      needsConfirmation
      change={change}
      input={(words) => ({ ...named, ...words })}
      done={({ removed, online }) => t(removed ? 'done' : 'already', { user: name, count: online })}
      staysValid={t('stays')}
      stays="asItIs"
    >
      {user && (
        <Stack gap="sm">
          <div>
            {user.title && <HostileText max={60}>{user.title}</HostileText>}{' '}
            <KeyText max={100}>{user.id}</KeyText>
          </div>
          <span>{t('consequence')}</span>
          <span>{t('again')}</span>
        </Stack>
      )}
    </FormDrawer>
  );
};
