'use client';

import { useTranslations } from 'next-intl';
import { PasswordInput } from '@/components/patterns/password-input';
import { MIN_PASSWORD } from '@/lib/users/schema';

interface NewPasswordProps {
  name: string;
  label: string;
  error?: string | undefined;
}

/** Field for a new password. */
export const NewPassword = ({ name, label, error }: NewPasswordProps) => {
  const t = useTranslations('access');
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
    />
  );
};
