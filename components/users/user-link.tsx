'use client';

import { Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { invitationContracts } from '@/lib/users/invitations/schema';
import { MIN_PASSWORD, type User, userContracts } from '@/lib/users/schema';
import { visibleText } from '@/lib/visible-text';
import { useLinks } from './links';
import { PasswordField } from './password-field';
import { TokensEnd, useDoneText } from './tokens-end';
import { useWays, type Way, WayField } from './way-field';

interface UserLinkProps extends Pick<RowDrawerProps<User>, 'opened' | 'onClose' | 'onClosed'> {
  user: User;
}

/** A disabled user cannot use a link. */
const waysOf = ({ disabled }: User): Way[] => (disabled ? ['password'] : ['mail', 'link', 'password']);

/** A new password for a user: by a link, or from the admin. */
export const ResetPassword = ({ user, ...drawer }: UserLinkProps) => {
  const t = useTranslations('users.change');
  const tLink = useTranslations('users.invitation');
  const ways = useWays(waysOf(user));
  const { show } = useLinks();
  const [way, setWay] = useState<Way>(ways[0]!);
  const [password, setPassword] = useState('');
  const update = useCommand(userContracts.update, undefined, { gcTime: 0 });
  const make = useCommand(invitationContracts.createLink, undefined, { gcTime: 0 });
  const name = visibleText(user.name, 60);
  const doneText = useDoneText();
  const isTyped = way === 'password';
  const shared = {
    ...drawer,
    title: t('password.title', { name }),
    verb: isTyped ? t('password.verb') : tLink('resetVerb'),
    blocked: isTyped && password.length < MIN_PASSWORD,
    children: (
      <Stack gap="md">
        <Text size="sm">{isTyped ? t('password.consequence', { name }) : tLink('reset', { name })}</Text>
        <TokensEnd count={user.tokens} />
        {ways.length > 1 && <WayField ways={ways} value={way} onChange={setWay} />}
        {isTyped && <PasswordField value={password} onChange={setPassword} />}
      </Stack>
    ),
  };
  if (isTyped)
    return (
      <FormDrawer
        {...shared}
        change={update}
        input={(words) => ({ id: user.id, password, ...words })}
        done={({ tokensEnded }) => doneText(t('password.done', { name }), tokensEnded)}
      />
    );
  return (
    <FormDrawer
      {...shared}
      change={make}
      input={(words) => ({ id: user.id, mail: way === 'mail', ...words })}
      done={({ link }) => (link === null ? tLink('mailed', { email: user.email }) : null)}
      onDone={show}
    />
  );
};

/** A new link for somebody who has not accepted the invitation. */
export const InviteAgain = ({ user, ...drawer }: UserLinkProps) => {
  const t = useTranslations('users.invitation');
  const ways = useWays(['mail', 'link']);
  const { show } = useLinks();
  const [way, setWay] = useState<Way>(ways[0]!);
  const make = useCommand(invitationContracts.createLink, undefined, { gcTime: 0 });
  return (
    <FormDrawer
      {...drawer}
      title={t('againTitle', { name: visibleText(user.name, 60) })}
      verb={t('againVerb')}
      change={make}
      input={(words) => ({ id: user.id, mail: way === 'mail', ...words })}
      done={({ link }) => (link === null ? t('mailed', { email: user.email }) : null)}
      onDone={show}
    >
      <Stack gap="md">
        <Text size="sm">{t('again')}</Text>
        {ways.length > 1 && <WayField ways={ways} value={way} onChange={setWay} />}
      </Stack>
    </FormDrawer>
  );
};

/** Removes somebody who has not accepted the invitation. */
export const WithdrawInvitation = ({ user, ...drawer }: UserLinkProps) => {
  const t = useTranslations('users.invitation');
  const withdraw = useCommand(invitationContracts.withdraw);
  const name = visibleText(user.name, 60);
  return (
    <FormDrawer
      {...drawer}
      title={t('withdrawTitle', { name })}
      verb={t('withdrawVerb')}
      destructive
      change={withdraw}
      input={(words) => ({ id: user.id, ...words })}
      done={() => t('withdrawn', { name })}
    >
      {t('withdraw', { name })}
    </FormDrawer>
  );
};
