'use client';

import { Radio, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { may, PERMISSIONS, type Role } from '@/lib/permissions';
import type { messages } from '@/messages/en';

/** `sessions:view` as the texts have it: `sessions-view`. */
type Worded = keyof (typeof messages)['users']['permission'];

interface RoleFieldProps<R extends Role> {
  roles: readonly R[];
  value: R;
  onChange: (role: R) => void;
}

/** What a role may do, in words, as the permission table has it. */
const useRoleWords = () => {
  const t = useTranslations('users');
  return (role: Role): string =>
    PERMISSIONS.filter((permission) => may(role, permission))
      .map((permission) => t(`permission.${permission.replace(':', '-') as Worded}`))
      .join(', ');
};

/** The choice of a role, each with what it may do. */
export const RoleField = <R extends Role>({ roles, value, onChange }: RoleFieldProps<R>) => {
  const t = useTranslations('users');
  const words = useRoleWords();
  return (
    <Radio.Group
      label={t('column.role')}
      value={value}
      onChange={(next) => {
        const role = roles.find((each) => each === next);
        if (role) onChange(role);
      }}
    >
      <Stack gap="xs" mt={6}>
        {roles.map((role: Role) => (
          <Radio
            key={role}
            value={role}
            label={
              <Text component="span" size="sm" fw={600}>
                {t(`role.${role}`)}
              </Text>
            }
            description={t('mayDo', { what: words(role) })}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
};
