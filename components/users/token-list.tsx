'use client';

import { Badge, Stack, Text } from '@mantine/core';
import { IconKey, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList, type RowDrawerProps } from '@/components/contract-list/declare-list';
import { textColumn, timeColumn } from '@/components/data-table/column-kinds';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useNow } from '@/components/patterns/now';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useCommand } from '@/components/patterns/use-command';
import { epochOf } from '@/lib/format';
import { type ApiToken, apiTokenContracts } from '@/lib/users/schema';
import { visibleText } from '@/lib/visible-text';
import { TimeOrNever } from './user-list';

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

const RevokeToken = ({ row: token, current: _, ...drawer }: RowDrawerProps<ApiToken>) => {
  const t = useTranslations('users.token');
  const tChange = useTranslations('users.change');
  const revoke = useCommand(apiTokenContracts.revoke);
  const name = token ? visibleText(token.name, 60) : '';
  return (
    <FormDrawer
      {...drawer}
      title={t('revoke.title', { key: name })}
      verb={t('revoke.verb')}
      destructive
      change={revoke}
      input={(words) => ({ id: token?.id ?? '', ...words })}
      done={({ alsoEnded }) =>
        alsoEnded > 0
          ? `${t('revoke.done', { name })}. ${tChange('tokensEnded', { count: alsoEnded })}`
          : t('revoke.done', { name })
      }
    >
      <Stack gap="md">
        <Text size="sm">{t('revoke.consequence')}</Text>
        {token !== null && token.tokens > 0 && (
          <Text size="sm" fw={600}>
            {tChange('endsTokens', { count: token.tokens })}
          </Text>
        )}
      </Stack>
    </FormDrawer>
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
    textColumn<ApiToken>({ id: 'name', width: 220, pinned: true, of: ({ name }) => name }),
    { id: 'role', width: 120, cell: (token) => <RoleCell token={token} />, value: ({ role }) => role },
    textColumn<ApiToken>({ id: 'createdBy', width: 200, of: ({ createdBy }) => createdBy }),
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
