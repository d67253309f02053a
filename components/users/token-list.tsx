'use client';

import { Badge, Button, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { actionsColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/patterns/empty-state';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useNow } from '@/components/patterns/now';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useCommand } from '@/components/patterns/use-command';
import { epochOf } from '@/lib/format';
import { type ApiToken, apiTokenContracts } from '@/lib/users/schema';
import { visibleText } from '@/lib/visible-text';
import { apiTokensQuery } from './queries';

const Expiry = ({ token }: { token: ApiToken }) => {
  const t = useTranslations('users.token');
  const now = useNow();
  const at = epochOf(token.expiresAt);
  if (at === null) return t('neverExpires');
  return now !== null && at <= now ? (
    <Text component="span" size="sm" c="var(--kw-bad-text)">
      {t('expired')} <RelativeTime at={token.expiresAt} />
    </Text>
  ) : (
    <RelativeTime at={token.expiresAt} />
  );
};

const useTokenColumns = (onRevoke: (token: ApiToken) => void): DataColumn<ApiToken>[] => {
  const t = useTranslations('users');
  return useMemo(
    (): DataColumn<ApiToken>[] => [
      textColumn({
        id: 'name',
        header: t('column.name'),
        width: 220,
        pinned: true,
        of: (token) => token.name,
      }),
      {
        id: 'role',
        header: t('column.role'),
        width: 120,
        cell: (token) =>
          token.changedOutside ? <Badge color="red">{t('changedOutside')}</Badge> : t(`role.${token.role}`),
        value: (token) => token.role,
      },
      textColumn({
        id: 'createdBy',
        header: t('column.createdBy'),
        width: 200,
        of: (token) => token.createdBy,
      }),
      timeColumn({ id: 'created', header: t('column.created'), width: 120, of: (token) => token.createdAt }),
      {
        id: 'expires',
        header: t('column.expires'),
        width: 130,
        cell: (token) => <Expiry token={token} />,
        value: (token) => token.expiresAt,
      },
      timeColumn({
        id: 'lastUsed',
        header: t('column.lastUsed'),
        width: 120,
        none: t('never'),
        of: (token) => token.lastUsedAt,
      }),
      actionsColumn({
        width: 100,
        cell: (token) => (
          <Button
            size="compact-sm"
            variant="light"
            color="red"
            aria-label={t('token.revokeOne', { name: visibleText(token.name, 60) })}
            onClick={() => onRevoke(token)}
          >
            {t('token.revoke')}
          </Button>
        ),
      }),
    ],
    [t, onRevoke],
  );
};

export const TokenList = () => {
  const t = useTranslations('users.token');
  const { data, error, dataUpdatedAt } = useQuery(apiTokensQuery());
  const [chosen, setChosen] = useState<ApiToken | null>(null);
  const columns = useTokenColumns(setChosen);
  return (
    <>
      <StaleBanner error={error} valuesFrom={dataUpdatedAt} />
      <DataTable
        label={t('label')}
        name="api-tokens"
        columns={columns}
        rows={data?.items ?? []}
        rowId={(token) => token.id}
        loading={data === undefined}
        live={[]}
        empty={
          <EmptyState icon={<IconKey size={20} />} title={t('empty.title')}>
            {t('empty.text')}
          </EmptyState>
        }
      />
      <RevokeToken token={chosen} onClose={() => setChosen(null)} />
    </>
  );
};

const RevokeToken = ({ token, onClose }: { token: ApiToken | null; onClose: () => void }) => {
  const t = useTranslations('users.token');
  const tChange = useTranslations('users.change');
  const revoke = useCommand(apiTokenContracts.revoke);
  const name = token ? visibleText(token.name, 60) : '';
  return (
    <FormDrawer
      opened={token !== null}
      onClose={onClose}
      title={t('revokeOne', { name })}
      verb={t('revokeVerb')}
      destructive
      change={revoke}
      input={(words) => ({ id: token?.id ?? '', ...words })}
      done={({ alsoEnded }) =>
        alsoEnded > 0
          ? `${t('revoked', { name })}. ${tChange('tokensEnded', { count: alsoEnded })}`
          : t('revoked', { name })
      }
    >
      <Stack gap="md">
        <Text size="sm">{t('revokeConsequence')}</Text>
        {token !== null && token.tokens > 0 && (
          <Text size="sm" fw={600}>
            {tChange('endsTokens', { count: token.tokens })}
          </Text>
        )}
      </Stack>
    </FormDrawer>
  );
};
