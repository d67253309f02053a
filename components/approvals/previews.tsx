'use client';

import { Alert, Loader, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useActionWords } from '@/components/patterns/action-words';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Facts } from '@/components/patterns/facts';
import { HostileText } from '@/components/patterns/hostile-text';
import { QueryProblem } from '@/components/patterns/query-problem';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import { call } from '@/lib/api-client';
import { type ApprovalRow, approvalContracts, type ShownImpact } from '@/lib/approvals/schema';
import type { Result } from '@/lib/contract';
import { UNKNOWN } from '@/lib/format';

type Request = Result<typeof approvalContracts.get>;

const useRequest = (id: string, enabled: boolean) => {
  const { id: connection } = useConnection();
  return useQuery({
    queryKey: [approvalContracts.get.id, connection, id],
    queryFn: ({ signal }) => call(approvalContracts.get, { id }, { connection, signal }),
    enabled,
    // A preview costs a walk, so it is counted only once each time the drawer opens.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
};

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return UNKNOWN;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** What the change would touch: when it was requested, and now. */
const Impacts = ({ was, now }: { was: ShownImpact; now: ShownImpact | null }) => {
  const t = useTranslations('approvals.preview');
  const tWord = useTranslations('words');
  const format = useFormat();
  const names = [...new Set([...Object.keys(was.facts ?? {}), ...Object.keys(now?.facts ?? {})])];
  return (
    <Table withRowBorders={false} fz="sm" aria-label={t('label')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{tWord('field')}</Table.Th>
          <Table.Th>{t('was')}</Table.Th>
          <Table.Th>{tWord('now')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        <Table.Tr>
          <Table.Th scope="row">{t('count')}</Table.Th>
          <Table.Td>{format.count(was.count)}</Table.Td>
          <Table.Td>{now ? format.count(now.count) : UNKNOWN}</Table.Td>
        </Table.Tr>
        {names.map((name) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">
              <code>{name}</code>
            </Table.Th>
            <Table.Td>
              <HostileText max={300}>{textOf(was.facts?.[name])}</HostileText>
            </Table.Td>
            <Table.Td>
              <HostileText max={300}>{now ? textOf(now.facts?.[name]) : UNKNOWN}</HostileText>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};

const Bound = ({ request: { bound, obstacle } }: { request: Request }) => {
  const t = useTranslations('approvals.preview');
  const { ratio } = useFormat();
  if (obstacle !== null)
    return (
      <Alert color="orange" title={t('suspends')}>
        {obstacle}
      </Alert>
    );
  return <Dimmed size="xs">{t('bound', { bound: ratio(bound) })}</Dimmed>;
};

/** A request with both previews. */
export const RequestFacts = ({ row, opened }: { row: ApprovalRow; opened: boolean }) => {
  const t = useTranslations('approvals');
  const tWord = useTranslations('words');
  const words = useActionWords();
  const query = useRequest(row.id, opened);
  const { data } = query;
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          { label: tWord('action'), value: `${words(row.operation)} (${row.operation})` },
          { label: tWord('target'), value: <HostileText max={300}>{row.target}</HostileText> },
          { label: t('column.by'), value: <HostileText max={120}>{row.by}</HostileText> },
          { label: tWord('reason'), value: <HostileText max={500}>{row.reason}</HostileText> },
          { label: t('column.requestedAt'), value: <AbsoluteTime at={row.requestedAt} /> },
          row.expiresAt ? { label: tWord('expires'), value: <AbsoluteTime at={row.expiresAt} /> } : null,
          { label: t('input'), value: <HostileText max={1000}>{JSON.stringify(row.input)}</HostileText> },
        ]}
      />
      {query.error ? (
        <QueryProblem of={query} />
      ) : (
        <>
          <Impacts was={row.was} now={data?.now ?? null} />
          {data ? data.state === 'pending' && <Bound request={data} /> : <Loader size="xs" />}
        </>
      )}
    </Stack>
  );
};
