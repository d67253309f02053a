'use client';

import { Badge, CloseButton, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { keyColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { Panel } from '@/components/patterns/panel';
import { useSentences } from '@/components/patterns/use-sentences';
import type { Answer } from './add-drawer';
import type { GuardSet } from './pasted';

interface Line extends Answer {
  number: number;
}

const COLORS: Record<Answer['status'], string> = {
  added: 'green',
  already: 'gray',
  invalid: 'red',
  protected: 'orange',
};

interface AnswersPanelProps {
  set: GuardSet;
  answers: readonly Answer[];
  onClose: () => void;
}

/** The result for every pasted line. */
export const AnswersPanel = ({ set, answers, onClose }: AnswersPanelProps) => {
  const t = useTranslations('guard.answers');
  const translate = useSentences();
  const lines = useMemo(() => answers.map((answer, i) => ({ ...answer, number: i + 1 })), [answers]);
  const added = answers.filter(({ status }) => status === 'added').length;
  const columns = useMemo(
    (): DataColumn<Line>[] => [
      {
        id: 'line',
        header: t('line'),
        align: 'right',
        width: 60,
        value: ({ number }) => number,
      },
      keyColumn({
        id: 'input',
        header: t('input'),
        width: 240,
        pinned: true,
        max: 80,
      }),
      {
        id: 'status',
        header: t('status'),
        width: 110,
        cell: ({ status }) => <Badge color={COLORS[status]}>{t(status)}</Badge>,
      },
      {
        id: 'reason',
        header: t('reason'),
        width: 320,
        cell: ({ reason, ip, input }) =>
          reason !== null
            ? translate(reason)
            : ip !== null && ip !== input
              ? t('storedAs', { stored: ip })
              : '—',
      },
    ],
    [t, translate],
  );
  return (
    <div style={{ marginBottom: 16 }}>
      <Panel
        title={t(`title.${set}`, { added, of: answers.length })}
        note={
          <Group gap="xs">
            <span role="status">{t('explain')}</span>
            <CloseButton size="sm" aria-label={t('close')} onClick={onClose} />
          </Group>
        }
      >
        <DataTable
          label={t(`title.${set}`, { added, of: answers.length })}
          name={`${set}-answers`}
          columns={columns}
          rows={lines}
          rowId={({ number }) => String(number)}
        />
      </Panel>
    </div>
  );
};
