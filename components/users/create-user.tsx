'use client';

import { Stack, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { fieldError } from '@/components/patterns/field-error';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { USER_ROLES } from '@/lib/permissions';
import { invitationContracts } from '@/lib/users/invitations/schema';
import { MIN_PASSWORD, userContracts } from '@/lib/users/schema';
import { useLinks } from './links';
import { PasswordField } from './password-field';
import { RoleField } from './role-field';
import { useWays, type Way, WayField } from './way-field';

const EMPTY = { name: '', email: '', role: 'viewer' as (typeof USER_ROLES)[number] };

/** Invites a user, or creates one with a password. */
export const CreateUser = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const t = useTranslations('users');
  const tWord = useTranslations('words');
  const ways = useWays();
  const { show } = useLinks();
  const [fields, setFields] = useState(EMPTY);
  const [password, setPassword] = useState('');
  const [way, setWay] = useState<Way>(ways[0]!);
  const create = useCommand(userContracts.create, undefined, { gcTime: 0 });
  const invite = useCommand(invitationContracts.invite, undefined, { gcTime: 0 });
  const { error } = way === 'password' ? create : invite;
  const set = (change: Partial<typeof EMPTY>) => setFields({ ...fields, ...change });
  const close = () => {
    setFields(EMPTY);
    setPassword('');
    setWay(ways[0]!);
    onClose();
  };
  const isNamed = fields.name.trim() !== '' && fields.email.includes('@');
  const shared = {
    opened,
    onClose: close,
    title: t('create.title'),
    verb: way === 'password' ? t('create.title') : t('invitation.verb'),
    blocked: !isNamed || (way === 'password' && password.length < MIN_PASSWORD),
    children: (
      <Stack gap="md">
        <Text size="sm">{t(way === 'password' ? 'create.consequence' : 'invitation.consequence')}</Text>
        <TextInput
          label={tWord('name')}
          value={fields.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={fieldError(error, 'name')}
          maxLength={120}
          autoComplete="off"
          required
        />
        <TextInput
          label={tWord('email')}
          type="email"
          value={fields.email}
          onChange={(event) => set({ email: event.currentTarget.value })}
          error={fieldError(error, 'email')}
          maxLength={254}
          autoComplete="off"
          required
        />
        <RoleField roles={USER_ROLES} value={fields.role} onChange={(role) => set({ role })} />
        <WayField ways={ways} value={way} onChange={setWay} />
        {way === 'password' && <PasswordField value={password} onChange={setPassword} />}
      </Stack>
    ),
  };
  if (way === 'password')
    return (
      <FormDrawer
        {...shared}
        change={create}
        input={(words) => ({ ...fields, password, ...words })}
        done={({ user }) => t('create.done', { email: user.email })}
      />
    );
  return (
    <FormDrawer
      {...shared}
      change={invite}
      input={(words) => ({ ...fields, mail: way === 'mail', ...words })}
      done={({ user, link }) => (link === null ? t('invitation.mailed', { email: user.email }) : null)}
      onDone={show}
    />
  );
};
