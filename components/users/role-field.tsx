'use client';

import { Radio, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Strong } from '@/components/patterns/strong';
import { may, PERMISSIONS, type Role } from '@/lib/permissions';
import type { messages } from '@/messages/en';

/** `sessions:view` as a message key: `sessions-view`. */
type PermissionKey = keyof (typeof messages)['users']['permission'];

interface RoleFieldProps<R extends Role> {
  roles: readonly R[];
  value: R;
  onChange: (role: R) => void;
}

/** A role's permissions in words. */
const usePermissionText = () => {
  const t = useTranslations('users');
  return (role: Role): string =>
    PERMISSIONS.filter((permission) => may(role, permission))
      .map((permission) => t(`permission.${permission.replace(':', '-') as PermissionKey}`))
      .join(', ');
};

/** Choice of a role, each with its permissions. */
export const RoleField = <R extends Role>({ roles, value, onChange }: RoleFieldProps<R>) => {
  const t = useTranslations('users');
  const tWord = useTranslations('words');
  const permissions = usePermissionText();
  return (
    <Radio.Group
      label={tWord('role')}
      value={value}
      onChange={(next) => {
        const role = roles.find((offered) => offered === next);
        if (role) onChange(role);
      }}
    >
      <Stack gap="xs" mt={6}>
        {roles.map((role: Role) => (
          <Radio
            key={role}
            value={role}
            label={<Strong component="span">{t(`role.${role}`)}</Strong>}
            description={t('mayDo', { what: permissions(role) })}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
};
