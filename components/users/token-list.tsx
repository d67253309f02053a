'use client';

import { Badge, Text } from '@mantine/core';
import { IconKey, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList } from '@/components/contract-list/declare-list';
import { textColumn, timeColumn } from '@/components/data-table/column-kinds';
import { useNow } from '@/components/patterns/now';
import { onDemand } from '@/components/patterns/on-demand';
import { RelativeTime } from '@/components/patterns/relative-time';
import { epochOf } from '@/lib/format';
import { type ApiToken, apiTokenContracts } from '@/lib/users/schema';
import { TimeOrNever } from './user-list';

const RevokeToken = onDemand(async () => (await import('./revoke-token')).RevokeToken);

const RoleCell = ({ token: { changedOutside, role } }: { token: ApiToken }) => {
  const t = useTranslations('users');
  return changedOutside ? <Badge color="red">{t('changedOutside')}</Badge> : t(`role.${role}`);
};

const Expiry = ({ token }: { token: ApiToken }) => {
  const t = useTranslations('users.token');
  const tWord = useTranslations('words');
  const now = useNow();
  const at = epochOf(token.expiresAt);
  if (at === null) return tWord('never');
  return now !== null && at <= now ? (
    <Text component="span" size="sm" c="var(--kw-bad-text)">
      {t('expired')} <RelativeTime at={token.expiresAt} />
    </Text>
  ) : (
    <RelativeTime at={token.expiresAt} />
  );
};

/** API tokens, oldest first. */
export const API_TOKENS = declareList({
  contract: apiTokenContracts.list,
  texts: 'users.token',
  name: 'api-tokens',
  icon: IconKey,
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  everyMs: 30_000,
  columns: [
    textColumn<ApiToken>({ id: 'name', width: 220, pinned: true }),
    { id: 'role', width: 120, cell: (token) => <RoleCell token={token} />, value: ({ role }) => role },
    textColumn<ApiToken>({ id: 'createdBy', width: 200 }),
    timeColumn<ApiToken>({ id: 'created', width: 120, of: ({ createdAt }) => createdAt }),
    {
      id: 'expires',
      width: 130,
      cell: (token) => <Expiry token={token} />,
      value: ({ expiresAt }) => expiresAt,
    },
    {
      id: 'lastUsed',
      width: 120,
      cell: ({ lastUsedAt }) => <TimeOrNever at={lastUsedAt} />,
      value: ({ lastUsedAt }) => lastUsedAt,
    },
  ],
  actions: { revoke: { permission: 'users:manage', icon: IconTrash, drawer: RevokeToken } },
});
