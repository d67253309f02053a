'use client';

import { Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { lowerRole, USER_ROLES } from '@/lib/permissions';
import { type User, userContracts } from '@/lib/users/schema';
import { visibleText } from '@/lib/visible-text';
import { RoleField } from './role-field';
import { TokensEnd, useDoneText } from './tokens-end';

export type UserChange = 'role' | 'disable' | 'enable' | 'signOut';

interface ChangeUserProps extends Pick<RowDrawerProps<User>, 'opened' | 'onClose' | 'onClosed'> {
  user: User;
  change: UserChange;
}

/** The drawer of one change of a user, with its consequence. */
export const ChangeUser = ({ user, change, ...drawer }: ChangeUserProps) => {
  const t = useTranslations('users.change');
  const [role, setRole] = useState(user.role);
  const update = useCommand(userContracts.update, undefined, { gcTime: 0 });
  const name = visibleText(user.name, 60);
  const doneText = useDoneText();
  const fields = {
    role: { role },
    disable: { disabled: true },
    enable: { disabled: false },
    signOut: { signOutEverywhere: true },
  }[change];
  const blocked = change === 'role' && role === user.role;
  const endsTokens = change === 'role' ? lowerRole(user.role, role) !== user.role : change === 'disable';
  return (
    <FormDrawer
      {...drawer}
      title={t(`${change}.title`, { name })}
      verb={t(`${change}.verb`)}
      destructive={change === 'disable' || change === 'signOut'}
      blocked={blocked}
      change={update}
      input={(words) => ({ id: user.id, ...fields, ...words })}
      done={({ tokensEnded }) => doneText(t(`${change}.done`, { name }), tokensEnded)}
    >
      <Stack gap="md">
        <Text size="sm">
          {user.changedOutside ? t('outside', { name }) : t(`${change}.consequence`, { name })}
        </Text>
        {endsTokens && <TokensEnd count={user.tokens} />}
        {change === 'role' && <RoleField roles={USER_ROLES} value={role} onChange={setRole} />}
      </Stack>
    </FormDrawer>
  );
};
