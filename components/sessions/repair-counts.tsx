'use client';

import { Table, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useFormat } from '@/components/patterns/use-format';
import { withFields } from '@/components/patterns/with-fields';
import type { Job } from '@/lib/jobs/schema';
import { REPAIRS, type RepairKind, type RepairResult } from '@/lib/sessions/repair/schema';

/** What a repair's job counted; null before it ends. */
export const repairResultOf = (job: Job | undefined): RepairResult | null =>
  withFields<RepairResult>(job?.result, 'before', 'repaired', 'after', 'left');

const kindsOf = ({ before }: RepairResult): RepairKind[] =>
  REPAIRS.filter((kind) => before[kind] !== undefined);

/** A repair's counts: before, repaired, and after. */
export const RepairOutcome = ({ result }: { result: RepairResult }) => {
  const t = useTranslations('sessions.repair');
  const format = useFormat();
  const { before, repaired, after, ended, left } = result;
  return (
    <div>
      <Table verticalSpacing={5} horizontalSpacing="xs" fz="sm" aria-label={t('outcome')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('column.what')}</Table.Th>
            <Table.Th ta="end">{t('column.before')}</Table.Th>
            <Table.Th ta="end">{t('column.repaired')}</Table.Th>
            <Table.Th ta="end">{t('column.after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {kindsOf(result).map((kind) => (
            <Table.Tr key={kind}>
              <Table.Td>{t(`kind.${kind}`)}</Table.Td>
              <Table.Td ta="end">{format.count(before[kind])}</Table.Td>
              <Table.Td ta="end" fw={600}>
                {format.count(repaired[kind])}
              </Table.Td>
              <Table.Td ta="end">{format.count(after[kind])}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {ended > 0 && (
        <Text size="sm" mt="xs">
          {t('ended', { count: ended })}
        </Text>
      )}
      {left > 0 && (
        <Text size="sm" mt="xs">
          {t('left', { count: left })}
        </Text>
      )}
    </div>
  );
};
