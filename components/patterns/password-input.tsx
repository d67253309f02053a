'use client';

import { PasswordInput as MantinePasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTranslations } from 'next-intl';

/** A field for a secret, whose button to show it has a name in the reader's language. */
export const PasswordInput = (props: PasswordInputProps) => {
  const tWord = useTranslations('words');
  return (
    <MantinePasswordInput
      {...props}
      visibilityToggleButtonProps={{ 'aria-label': tWord('showPassword'), tabIndex: 0 }}
    />
  );
};
