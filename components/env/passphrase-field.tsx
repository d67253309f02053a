'use client';

import { PasswordInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';

interface PassphraseFieldProps {
  label: string;
  description?: ReactNode;
  error?: ReactNode;
  /** A new passphrase: browsers may offer to generate it. */
  fresh?: boolean;
  onChange: (passphrase: string) => void;
}

/** Uncontrolled on purpose: React would copy a controlled field's text into the markup. */
export const PassphraseField = ({ fresh = false, onChange, ...field }: PassphraseFieldProps) => {
  const t = useTranslations('env.passphrase');
  const [visible, setVisible] = useState(false);
  return (
    <PasswordInput
      {...field}
      visible={visible}
      onVisibilityChange={setVisible}
      visibilityToggleButtonProps={{ 'aria-label': t(visible ? 'hide' : 'show'), tabIndex: 0 }}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete={fresh ? 'new-password' : 'off'}
      maxLength={1000}
    />
  );
};
