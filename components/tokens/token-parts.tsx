'use client';

import { Anchor } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { HostileText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { Malformed, providerName } from '@/components/patterns/token-words';
import { userIdText } from '@/lib/sessions/schema';
import type { TokenRow } from './queries';

/** A link to the token's user. An unreadable verification has none. */
export const UserLink = ({ token }: { token: Pick<TokenRow, 'userId'> }) => {
  const t = useTranslations('tokens');
  const connection = useConnection();
  if (token.userId === null) return <Malformed why={t('malformed.noUser')} />;
  return (
    <Anchor
      component={Link}
      size="sm"
      fw={600}
      c="inherit"
      underline="hover"
      href={`/${connection.id}/sessions?user=${encodeURIComponent(userIdText(token.userId))}`}
      aria-label={t('userOf', { id: token.userId })}
    >
      #{token.userId}
    </Anchor>
  );
};

export const Provider = ({ token }: { token: Pick<TokenRow, 'provider'> }) => {
  const t = useTranslations('tokens.malformed');
  if (token.provider === null) return <Malformed why={t('noProvider')} />;
  return <HostileText max={40}>{providerName(token.provider)}</HostileText>;
};
