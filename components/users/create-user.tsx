'use client';

import { Stack, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { fieldError } from '@/components/patterns/field-error';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { USER_ROLES } from '@/lib/permissions';
import { MIN_PASSWORD, userContracts } from '@/lib/users/schema';
import { PasswordField } from './password-field';
import { RoleField } from './role-field';

const EMPTY = { name: '', email: '', role: 'viewer' as (typeof USER_ROLES)[number], password: '' };

export const CreateUser = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const t = useTranslations('users');
  const tWord = useTranslations('words');
  const [fields, setFields] = useState(EMPTY);
  const create = useCommand(userContracts.create, undefined, { gcTime: 0 });
  const set = (change: Partial<typeof EMPTY>) => setFields({ ...fields, ...change });
  const close = () => {
    setFields(EMPTY);
    onClose();
  };
  const ready =
    fields.name.trim() !== '' && fields.email.includes('@') && fields.password.length >= MIN_PASSWORD;
  return (
    <FormDrawer
      opened={opened}
      onClose={close}
      title={t('create.title')}
      verb={t('create.title')}
      blocked={!ready}
      change={create}
      input={(words) => ({ ...fields, ...words })}
      done={({ user }) => t('create.done', { email: user.email })}
    >
      <Stack gap="md">
        <Text size="sm">{t('create.consequence')}</Text>
        <TextInput
          label={tWord('name')}
          value={fields.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={fieldError(create.error, 'name')}
          data-autofocus
          maxLength={120}
          autoComplete="off"
          required
        />
        <TextInput
          label={tWord('email')}
          type="email"
          value={fields.email}
          onChange={(event) => set({ email: event.currentTarget.value })}
          error={fieldError(create.error, 'email')}
          maxLength={254}
          autoComplete="off"
          required
        />
        <RoleField roles={USER_ROLES} value={fields.role} onChange={(role) => set({ role })} />
        <PasswordField value={fields.password} onChange={(password) => set({ password })} />
      </Stack>
    </FormDrawer>
  );
};
