'use client';

import { Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { Strong } from '@/components/patterns/strong';
import { useCommand } from '@/components/patterns/use-command';
import { type ApiToken, apiTokenContracts } from '@/lib/users/schema';
import { visibleText } from '@/lib/visible-text';

export const RevokeToken = ({ row: token, current: _, ...drawer }: RowDrawerProps<ApiToken>) => {
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
          <Strong>{tChange('endsTokens', { count: token.tokens })}</Strong>
        )}
      </Stack>
    </FormDrawer>
  );
};
