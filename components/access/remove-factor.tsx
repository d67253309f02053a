'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { secondFactorContracts } from '@/lib/users/second-factor/schema';
import { visibleText } from '@/lib/visible-text';

/** The passkey to remove; without one the authenticator app. */
export interface Removing {
  name: string;
  passkey?: string;
}

interface RemoveFactorProps {
  removing: Removing | null;
  onClose: () => void;
}

/** Removes one of the user's second factors. */
export const RemoveFactor = ({ removing, onClose }: RemoveFactorProps) => {
  const t = useTranslations('secondFactor');
  const remove = useCommand(secondFactorContracts.remove);
  const name = visibleText(removing?.name ?? '', 60);
  return (
    <FormDrawer
      opened={removing !== null}
      onClose={onClose}
      title={t('removeOf', { name })}
      verb={t('remove')}
      withReason={false}
      destructive
      change={remove}
      input={() => (removing?.passkey === undefined ? {} : { passkey: removing.passkey })}
      done={() => t('removed')}
    >
      <Text size="sm">{t('removeNote')}</Text>
    </FormDrawer>
  );
};
