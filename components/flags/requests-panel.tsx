'use client';

import { SimpleGrid, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { HostileText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import { Strong } from '@/components/patterns/strong';
import type { Result } from '@/lib/contract';
import type { flagContracts } from '@/lib/flags/schema';
import { type Decision, type NamedRequest, RequestLine } from './request-line';

type FlagList = Result<typeof flagContracts.list>;

/** All open requests, oldest first, including those for flags that do not exist yet. */
export const openRequests = ({ items, newFlags }: FlagList): NamedRequest[] =>
  [...items.flatMap(({ name, request }) => (request ? [{ ...request, name }] : [])), ...newFlags].sort(
    (a, b) => (a.requestedAt < b.requestedAt ? -1 : 1),
  );

interface RequestsPanelProps {
  requests: readonly NamedRequest[];
  onDecide: (decision: Decision, request: NamedRequest) => void;
}

/** Requests that wait for approval, above the list of flags. */
export const RequestsPanel = ({ requests, onDecide }: RequestsPanelProps) => {
  const t = useTranslations('flags.request');
  if (requests.length === 0) return null;
  const pending = requests.filter(({ state }) => state === 'pending').length;
  return (
    <Stack mb="md">
      <Panel title={t('panel', { count: pending })} note={t('whoApproves')}>
        <SimpleGrid
          cols={{ base: 1, sm: 2, lg: 3 }}
          spacing="lg"
          component="ul"
          style={{ margin: 0, padding: 0, listStyle: 'none' }}
        >
          {requests.map((request) => (
            <li key={request.id}>
              <Strong component="div" mb={2}>
                <HostileText max={80}>{request.name}</HostileText>
              </Strong>
              <RequestLine request={request} onDecide={onDecide} />
            </li>
          ))}
        </SimpleGrid>
      </Panel>
    </Stack>
  );
};
