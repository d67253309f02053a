'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { TablePanel } from '@/components/data-table/table-panel';
import { useConnection } from '@/components/patterns/connection';
import { TextLink } from '@/components/patterns/text-link';
import { LIFE_COLUMNS } from '@/components/patterns/token-life-columns';
import { providerName, VerificationType } from '@/components/patterns/token-words';
import { userIdText } from '@/lib/sessions/schema';
import type { OauthToken, VerificationToken } from '@/lib/tokens/schema';
import type { User } from './user-query';

const byProvider = (a: OauthToken, b: OauthToken): number =>
  a.provider.localeCompare(b.provider) || a.kind.localeCompare(b.kind);

const KindText = ({ kind }: Pick<OauthToken, 'kind'>) => {
  const t = useTranslations('sessions.user.tokens.kind');
  return t(kind);
};

export const OAUTH_COLUMNS = declareColumns<OauthToken>('sessions.user.tokens.column', [
  {
    id: 'provider',
    width: 95,
    pinned: true,
    cell: ({ provider }) => providerName(provider),
  },
  { id: 'kind', width: 100, cell: (token) => <KindText kind={token.kind} />, value: ({ kind }) => kind },
  ...LIFE_COLUMNS,
]);

export const VERIFICATION_COLUMNS = declareColumns<VerificationToken>('sessions.user.tokens.column', [
  {
    id: 'type',
    width: 170,
    pinned: true,
    cell: ({ type }) => <VerificationType type={type} />,
  },
  ...LIFE_COLUMNS,
]);

/** OAuth access and refresh tokens, sorted by provider. Token values are never shown. */
export const UserOauth = ({ user }: { user: User }) => {
  const t = useTranslations('sessions.user.tokens');
  const tSessions = useTranslations('sessions');
  const rows = useMemo(() => user.oauth.toSorted(byProvider), [user.oauth]);
  const columns = useDeclaredColumns(OAUTH_COLUMNS);
  return (
    <TablePanel
      title={tSessions('user.figure.oauth')}
      note={rows.length > 0 && <Manage tab="" userId={user.userId} />}
      name="user-oauth"
      columns={columns}
      rows={rows}
      rowId={({ id }) => id}
      nothing={t('noOauth')}
    />
  );
};

/** Verification tokens of both formats. Only a scan finds them. */
export const UserVerifications = ({ user }: { user: User }) => {
  const t = useTranslations('sessions.user.tokens');
  const rows = user.verifications;
  const columns = useDeclaredColumns(VERIFICATION_COLUMNS);
  return (
    <TablePanel
      title={t('verifications')}
      note={rows.length > 0 && <Manage tab="verification" userId={user.userId} />}
      name="user-verifications"
      columns={columns}
      rows={rows}
      rowId={({ id }) => id}
      nothing={t(user.complete ? 'noVerifications' : 'notScanned')}
    />
  );
};

/** A link to the tokens page, which revokes them. */
const Manage = ({ tab, userId }: { tab: 'verification' | ''; userId: string }) => {
  const t = useTranslations('sessions.user.tokens');
  const connection = useConnection();
  const query = `${tab ? `tab=${tab}&` : ''}user=${encodeURIComponent(userIdText(userId))}`;
  return (
    <TextLink size="xs" underline="always" href={`/${connection.id}/tokens?${query}`}>
      {t(tab === '' ? 'manageOauth' : 'manageVerifications')}
    </TextLink>
  );
};
