'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import type { User } from '@/lib/users/schema';
import { secondFactorContracts } from '@/lib/users/second-factor/schema';
import { visibleText } from '@/lib/visible-text';

interface ResetSecondFactorProps extends Pick<RowDrawerProps<User>, 'opened' | 'onClose' | 'onClosed'> {
  user: User;
}

/** Removes the second factor of somebody who lost it. */
export const ResetSecondFactor = ({ user, ...drawer }: ResetSecondFactorProps) => {
  const t = useTranslations('users.change.secondFactor');
  const reset = useCommand(secondFactorContracts.reset, undefined, { gcTime: 0 });
  const name = visibleText(user.name, 60);
  return (
    <FormDrawer
      {...drawer}
      title={t('title', { name })}
      verb={t('verb')}
      destructive
      change={reset}
      input={(words) => ({ id: user.id, ...words })}
      done={() => t('done', { name })}
    >
      <Text size="sm">{t('consequence', { name })}</Text>
    </FormDrawer>
  );
};
