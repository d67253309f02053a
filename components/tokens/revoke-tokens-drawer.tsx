'use client';

import { Skeleton, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { FilterFacts } from './filter-facts';
import { useTokenLabel } from './token-columns';
import type { TokenRevocation, TokenTarget } from './use-token-revocation';

const NAMED = 3;

const OPERATIONS = {
  oauth: 'tokens.oauth.revoke',
  states: 'tokens.oauthStates.revoke',
  verification: 'tokens.verification.revoke',
} as const;

/** The server's preview of a revocation: what ends, what stays, and that it cannot be undone. */
export const RevokeTokensDrawer = ({ revocation }: { revocation: TokenRevocation }) => {
  const t = useTranslations('tokens');
  const { target, preview, mutation } = revocation;
  if (!target) return null;
  const { tab } = target;
  const counted = preview.data;
  const chosen = 'tokens' in target ? target.tokens.length : null;
  const count = counted?.remaining ?? chosen;
  const nothingToDo = counted !== undefined && counted.remaining === 0;
  return (
    <ChangeDrawer
      operation={OPERATIONS[tab]}
      opened={revocation.opened}
      onClose={revocation.close}
      title={chosen === null ? t(`revoke.titleAll.${tab}`) : t(`verb.${tab}`, { count: chosen })}
      verb={count === null ? t(`revoke.verbAll.${tab}`) : t(`verb.${tab}`, { count })}
      destructive
      needsConfirmation
      blocked={!counted || nothingToDo}
      pending={mutation.isPending}
      error={mutation.error}
      onSubmit={revocation.submit}
      staysValid={t(`revoke.stays.${tab}`)}
    >
      <Stack gap="xs">
        <What target={target} />
        <span>{t(`revoke.consequence.${tab}`)}</span>
        {preview.isError && <ProblemAlert error={preview.error} onRetry={() => void preview.refetch()} />}
        {preview.isPending && (
          <div role="status" aria-label={t('revoke.counting')}>
            <Skeleton height={14} mb={6} />
            <Skeleton height={14} width="60%" />
          </div>
        )}
        {counted && (
          <span role="status">
            {t('revoke.found', { count: counted.remaining })}
            {counted.alreadyGone > 0 && ` ${t('revoke.alreadyGone', { count: counted.alreadyGone })}`}
          </span>
        )}
        <Text size="sm" fw={600}>
          {t('revoke.forGood')}
        </Text>
      </Stack>
    </ChangeDrawer>
  );
};

/** The tokens by name when there are few, or the filter in words. */
const What = ({ target }: { target: TokenTarget }) => {
  const t = useTranslations('tokens.revoke');
  const label = useTokenLabel();
  if ('filter' in target) return <FilterFacts filter={target.filter} />;
  const named = target.tokens.slice(0, NAMED);
  const others = target.tokens.length - named.length;
  return (
    <ul style={{ margin: 0, paddingInlineStart: 18 }}>
      {named.map((token) => (
        <li key={token.id}>{label(token)}</li>
      ))}
      {others > 0 && <li>{t('more', { count: others })}</li>}
    </ul>
  );
};
