'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { confirmationAsked } from '@/components/patterns/undo-confirmation';
import type { OnlineUser } from '@/lib/entities/presence/schema';
import { visibleText } from '@/lib/visible-text';
import { useSetOffline } from './queries';

interface OfflineDrawerProps {
  user: OnlineUser | null;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}

/** What cannot be an id is shown changed or masked, so its member is named by its bytes. */
const namedBy = (user: OnlineUser | null) =>
  user && !user.linkable ? { memberId: user.memberId } : { userId: user?.id ?? '' };

/** Takes a user off the list of users online; says what that does not do. */
export const OfflineDrawer = ({ user, ...drawer }: OfflineDrawerProps) => {
  const t = useTranslations('presence.offline');
  const { id } = useConnection();
  const change = useSetOffline(id);
  const name = user ? visibleText(user.title ?? user.id, 60) : '';
  return (
    <FormDrawer
      {...drawer}
      title={t('title', { user: name })}
      verb={t('verb')}
      needsConfirmation
      change={change}
      confirm={confirmationAsked(change.error)}
      input={(words) => ({ ...namedBy(user), ...words })}
      done={({ removed, online }) => t(removed ? 'done' : 'already', { user: name, count: online })}
      staysValid={t('stays')}
      stays="asItIs"
    >
      {user && (
        <Stack gap="sm">
          <div>
            {user.title !== null && <HostileText max={60}>{user.title}</HostileText>}{' '}
            <KeyText max={100}>{user.id}</KeyText>
          </div>
          <span>{t('consequence')}</span>
          <span>{t('again')}</span>
        </Stack>
      )}
    </FormDrawer>
  );
};
