'use client';

import { Group, Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, countColumn, keyColumn, keyLinkColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowButton } from '@/components/data-table/row-button';
import { Duration } from '@/components/patterns/figures';
import { HostileText } from '@/components/patterns/hostile-text';
import { RateBar } from '@/components/patterns/rate-bar';
import type { ProcessState, Stage } from '@/lib/processes/schema';
import { visibleText } from '@/lib/visible-text';
import { LeftFigure, MeantBadge } from './list-parts';

const COLORS: Record<Stage, string> = {
  running: 'green',
  waiting: 'gray',
  finished: 'gray',
  failed: 'orange',
  unknown: 'gray',
};

/** Stuck or not, with the reasons; what the process itself says beside it. */
export const StageCell = ({ state }: { state: ProcessState }) => {
  const t = useTranslations('locks');
  const { stage, stuckReasons, status, problem } = state;
  return (
    <Group gap={4}>
      {stuckReasons.map((reason) => (
        <MeantBadge key={reason} color="red" means={t(`stuckMeans.${reason}`)}>
          {t(`stuck.${reason}`)}
        </MeantBadge>
      ))}
      {problem && (
        <MeantBadge color="orange" means={t(`stateProblemMeans.${problem}`)}>
          {t(`stateProblem.${problem}`)}
        </MeantBadge>
      )}
      {stuckReasons.length === 0 && !problem && (
        <MeantBadge color={COLORS[stage]} means={t(`stageMeans.${stage}`)}>
          {t(`stage.${stage}`)}
        </MeantBadge>
      )}
      {status !== null && (
        <Text span size="xs" c="dimmed">
          <HostileText max={40}>{status}</HostileText>
        </Text>
      )}
    </Group>
  );
};

const durationColumn = (
  column: Pick<DataColumn<ProcessState>, 'id' | 'header'>,
  of: (state: ProcessState) => number | null,
): DataColumn<ProcessState> => ({
  ...column,
  width: 90,
  align: 'right',
  cell: (state) => <Duration value={of(state)} />,
  value: of,
});

export const useProcessColumns = (onOpen: (state: ProcessState) => void): DataColumn<ProcessState>[] => {
  const t = useTranslations('locks');
  return useMemo(
    (): DataColumn<ProcessState>[] => [
      keyLinkColumn({ header: t('column.state'), width: 220 }),
      {
        id: 'stage',
        header: t('column.stage'),
        width: 190,
        cell: (state) => <StageCell state={state} />,
        value: ({ stage, stuckReasons }) => [stage, ...stuckReasons].join(' '),
      },
      {
        id: 'progress',
        header: t('column.progress'),
        width: 150,
        cell: ({ progress }) => <RateBar value={progress} level="plain" />,
        value: ({ progress }) => progress,
      },
      durationColumn({ id: 'age', header: t('column.age') }, ({ ageSeconds }) => ageSeconds),
      durationColumn({ id: 'updated', header: t('column.updated') }, (state) => state.updatedSecondsAgo),
      {
        id: 'ttl',
        header: t('column.ttl'),
        width: 110,
        align: 'right',
        cell: ({ ttlSeconds }) => <LeftFigure seconds={ttlSeconds} />,
        value: ({ ttlSeconds }) => ttlSeconds,
      },
      keyColumn({
        id: 'process',
        header: t('column.process'),
        hiddenAtFirst: true,
        of: ({ process }) => process,
      }),
      keyColumn({ id: 'id', header: t('column.id'), hiddenAtFirst: true, of: ({ id }) => id }),
      countColumn({
        id: 'fields',
        header: t('column.fields'),
        width: 70,
        hiddenAtFirst: true,
        of: ({ fieldsTotal }) => fieldsTotal,
      }),
      actionsColumn({
        width: 48,
        cell: (state) => (
          <RowButton
            hint={t('details')}
            label={t('detailsOf', { key: visibleText(state.key, 60) })}
            icon={<IconListDetails size={16} />}
            onClick={() => onOpen(state)}
          />
        ),
      }),
    ],
    [t, onOpen],
  );
};
