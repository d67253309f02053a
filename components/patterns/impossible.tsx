'use client';

import { Alert, Code } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { connectionContracts, type FeatureRow } from '@/lib/connections/schema';
import { useConnectionOrNull } from './connection';
import { readQuery } from './read-query';

/** Permissions change rarely; a drawer that opens later queries them again. */
const STALE_MS = 5000;

/** What works for the Redis user of a connection. */
export const capabilitiesQuery = (connection: string) =>
  queryOptions({
    ...readQuery(connectionContracts.capabilities, connection, {}),
  });

export type Impossible = Pick<FeatureRow, 'reason' | 'acl'>;

const refusalOf = (features: readonly FeatureRow[], operation: string | undefined): Impossible | null =>
  features.find(({ state, operations }) => state === 'no' && operations.includes(operation ?? '')) ?? null;

/** Why an operation cannot work on this page's connection. Null where it can, or while that is unknown. */
export const useImpossible = (operation: string | undefined): Impossible | null => {
  const id = useConnectionOrNull()?.id ?? '';
  const { data } = useQuery({
    ...capabilitiesQuery(id),
    enabled: operation !== undefined && id !== '',
    staleTime: STALE_MS,
    retry: false,
    // Refetched until it is permitted.
    refetchInterval: ({ state }) => (refusalOf(state.data?.features ?? [], operation) ? STALE_MS : false),
  });
  return refusalOf(data?.features ?? [], operation);
};

export const ImpossibleAlert = ({ why: { reason, acl } }: { why: Impossible }) => {
  const t = useTranslations('patterns.impossible');
  const { name = '' } = useConnectionOrNull() ?? {};
  return (
    <Alert color="orange" title={t('title')}>
      {t('why', { name, reason: reason ?? '' })}{' '}
      {acl && t.rich('acl', { rules: acl, code: (rules) => <Code>{rules}</Code> })}
    </Alert>
  );
};
