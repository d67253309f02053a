'use client';

import { Stack, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { MIN_PASSWORD } from '@/lib/accounts/schema';
import { ApiProblem } from '@/lib/api-client';
import { USER_ROLES } from '@/lib/permissions';
import { PasswordField } from './password-field';
import { useCreateUser } from './queries';
import { RoleField } from './role-field';

const EMPTY = { name: '', email: '', role: 'viewer' as (typeof USER_ROLES)[number], password: '' };

const fieldError = (error: unknown, path: string): string | null =>
  error instanceof ApiProblem ? (error.errors.find((field) => field.path === path)?.message ?? null) : null;

export const CreateUser = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const t = useTranslations('users');
  const [fields, setFields] = useState(EMPTY);
  const create = useCreateUser();
  const announce = useUndoToast();
  const set = (change: Partial<typeof EMPTY>) => setFields({ ...fields, ...change });
  const close = () => {
    setFields(EMPTY);
    create.reset();
    onClose();
  };
  const ready =
    fields.name.trim() !== '' && fields.email.includes('@') && fields.password.length >= MIN_PASSWORD;
  return (
    <ChangeDrawer
      opened={opened}
      onClose={close}
      title={t('create.title')}
      verb={t('create.verb')}
      blocked={!ready}
      pending={create.isPending}
      error={create.error}
      onSubmit={({ reason }) =>
        create.mutate(
          { ...fields, ...(reason ? { reason } : {}) },
          {
            onSuccess: ({ user, auditId }) => {
              announce({ message: t('create.done', { email: user.email }), auditId });
              close();
            },
          },
        )
      }
    >
      <Stack gap="md">
        <Text size="sm">{t('create.consequence')}</Text>
        <TextInput
          label={t('column.name')}
          value={fields.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={fieldError(create.error, 'name')}
          data-autofocus
          maxLength={120}
          autoComplete="off"
          required
        />
        <TextInput
          label={t('column.email')}
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
    </ChangeDrawer>
  );
};
