'use client';

import { Button, CopyButton, Group, PasswordInput, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { MIN_PASSWORD } from '@/lib/users/schema';
import { newPassword } from './new-password';

interface PasswordFieldProps {
  value: string;
  onChange: (value: string) => void;
}

/** Password for another user: typed or generated, with show and copy. */
export const PasswordField = ({ value, onChange }: PasswordFieldProps) => {
  const t = useTranslations('users.password');
  const tWord = useTranslations('words');
  const [visible, setVisible] = useState(false);
  return (
    <Stack gap={6}>
      <PasswordInput
        label={tWord('password')}
        description={t('hint', { count: MIN_PASSWORD })}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        visible={visible}
        onVisibilityChange={setVisible}
        visibilityToggleButtonProps={{
          'aria-label': visible ? t('hide') : tWord('showPassword'),
          tabIndex: 0,
        }}
        autoComplete="new-password"
        maxLength={1024}
        error={value !== '' && value.length < MIN_PASSWORD ? t('short', { count: MIN_PASSWORD }) : null}
      />
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            onChange(newPassword());
            setVisible(true);
          }}
        >
          {t('generate')}
        </Button>
        {value !== '' && (
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button size="xs" variant="subtle" onClick={copy}>
                {copied ? tWord('copied') : tWord('copy')}
              </Button>
            )}
          </CopyButton>
        )}
      </Group>
    </Stack>
  );
};
