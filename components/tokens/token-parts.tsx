'use client';

import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { HostileText } from '@/components/patterns/hostile-text';
import { TextLink } from '@/components/patterns/text-link';
import { Malformed, providerName } from '@/components/patterns/token-words';
import { userIdText } from '@/lib/sessions/schema';
import { kindOf, type Token } from './token';

/** A link to the token's user. An unreadable verification has none. */
export const UserLink = ({ token: { userId = null } }: { token: Token }) => {
  const t = useTranslations('tokens');
  const connection = useConnection();
  if (userId === null) return <Malformed why={t('malformed.noUser')} />;
  return (
    <TextLink
      fw={600}
      c="inherit"
      underline="hover"
      href={`/${connection.id}/sessions?user=${encodeURIComponent(userIdText(userId))}`}
      aria-label={t('userOf', { id: userId })}
    >
      #{userId}
    </TextLink>
  );
};

export const Provider = ({ token: { provider = null } }: { token: Token }) => {
  const t = useTranslations('tokens.malformed');
  if (provider === null) return <Malformed why={t('noProvider')} />;
  return <HostileText max={40}>{providerName(provider)}</HostileText>;
};

export const KindText = ({ token }: { token: Token }) => {
  const t = useTranslations('tokens.kind');
  return t(kindOf(token));
};
