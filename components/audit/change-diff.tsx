'use client';

import { Code, Table, Text, VisuallyHidden } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { HostileText } from '@/components/patterns/hostile-text';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { diffRows } from './diff';

/** The console's format of times. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const Cell = ({ text }: { text: string | null }) => {
  if (text === null) return <Text c="dimmed">—</Text>;
  return ISO_TIME.test(text) ? <AbsoluteTime at={text} /> : <HostileText max={400}>{text}</HostileText>;
};

/** Values before and after a change, field by field; changed fields first and bold. */
export const ChangeDiff = ({ before, after }: { before: unknown; after: unknown }) => {
  const t = useTranslations('audit.diff');
  const tWord = useTranslations('words');
  const rows = diffRows(before, after);
  if (rows.length === 0) return <Text size="sm">{t('nothing')}</Text>;
  return (
    <Table verticalSpacing={6} horizontalSpacing="xs" fz="sm" layout="fixed" aria-label={t('label')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{tWord('field')}</Table.Th>
          <Table.Th>{tWord('before')}</Table.Th>
          <Table.Th>{tWord('after')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.path} fw={row.changed ? 600 : undefined}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {row.path === '' ? t('value') : <Code>{row.path}</Code>}
              {row.changed && <VisuallyHidden> {t('changed')}</VisuallyHidden>}
            </Table.Td>
            <Table.Td>
              <Cell text={row.before} />
            </Table.Td>
            <Table.Td>
              <Cell text={row.after} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};
