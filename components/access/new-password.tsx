'use client';

import { PasswordInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { MIN_PASSWORD } from '@/lib/users/schema';

interface NewPasswordProps {
  name: string;
  label: string;
  error?: string | undefined;
}

/** Field for a new password. */
export const NewPassword = ({ name, label, error }: NewPasswordProps) => {
  const t = useTranslations('access');
  const tWord = useTranslations('words');
  return (
    <PasswordInput
      name={name}
      label={label}
      description={t('passwordRule', { count: MIN_PASSWORD })}
      autoComplete="new-password"
      minLength={MIN_PASSWORD}
      maxLength={1024}
      required
      error={error}
      visibilityToggleButtonProps={{ 'aria-label': tWord('showPassword'), tabIndex: 0 }}
    />
  );
};
