'use client';

import { Button, Group } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, countColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowButton } from '@/components/data-table/row-button';
import { Count } from '@/components/patterns/figures';
import type { RateWindow } from '@/lib/rate-limits/schema';
import { visibleText } from '@/lib/visible-text';
import { LimitFigure, PeriodFigure, ProjectCell, StateBadge, UseCell } from './window-parts';

interface WindowActions {
  onOpen: (window: RateWindow) => void;
  /** Absent without the permission to change. */
  onRepair: ((window: RateWindow) => void) | undefined;
}

export const useWindowColumns = ({ onOpen, onRepair }: WindowActions): DataColumn<RateWindow>[] => {
  const t = useTranslations('rateLimits');
  return useMemo(
    (): DataColumn<RateWindow>[] => [
      {
        id: 'project',
        header: t('column.project'),
        width: 214,
        pinned: true,
        cell: (window) => <ProjectCell window={window} />,
        value: ({ field }) => field,
      },
      {
        id: 'state',
        header: t('column.state'),
        width: 124,
        pinned: true,
        cell: ({ state }) => <StateBadge state={state} />,
        value: ({ state }) => state,
      },
      {
        id: 'use',
        header: t('column.use'),
        width: 170,
        sortable: true,
        cell: (window) => (
          <Group gap={8}>
            <UseCell window={window} />
            {onRepair && window.state === 'unreadable' && (
              <Button size="compact-xs" variant="default" onClick={() => onRepair(window)}>
                {t('repair.button')}
              </Button>
            )}
          </Group>
        ),
        value: ({ use }) => use,
      },
      countColumn({
        id: 'count',
        header: t('column.count'),
        width: 84,
        sortable: true,
        of: ({ count }) => count,
      }),
      {
        id: 'limit',
        header: t('column.limit'),
        width: 112,
        align: 'right',
        cell: ({ limit, limitSource }) => <LimitFigure limit={limit} source={limitSource} />,
        value: ({ limit }) => limit,
      },
      {
        id: 'period',
        header: t('column.period'),
        width: 104,
        align: 'right',
        cell: ({ periodSeconds, periodSource }) => (
          <PeriodFigure seconds={periodSeconds} source={periodSource} />
        ),
        value: ({ periodSeconds }) => periodSeconds,
      },
      {
        id: 'remaining',
        header: t('column.remaining'),
        width: 92,
        align: 'right',
        cell: ({ state, remaining }) =>
          state === 'unlimited' ? t('unlimited') : <Count value={remaining} />,
        value: ({ remaining }) => remaining,
      },
      timeColumn({
        id: 'windowStart',
        header: t('column.windowStart'),
        width: 112,
        of: ({ windowStart }) => windowStart,
      }),
      timeColumn({ id: 'resetsAt', header: t('column.resetsAt'), width: 96, of: ({ resetsAt }) => resetsAt }),
      {
        id: 'limitSource',
        header: t('column.limitSource'),
        width: 110,
        hiddenAtFirst: true,
        cell: ({ limitSource }) => t(`source.${limitSource}`),
        value: ({ limitSource }) => limitSource,
      },
      {
        id: 'periodSource',
        header: t('column.periodSource'),
        width: 110,
        hiddenAtFirst: true,
        cell: ({ periodSource }) => t(`source.${periodSource}`),
        value: ({ periodSource }) => periodSource,
      },
      actionsColumn({
        width: 48,
        cell: (window) => (
          <RowButton
            hint={t('details')}
            label={t('detailsOf', { what: visibleText(window.field, 60) })}
            icon={<IconListDetails size={16} />}
            onClick={() => onOpen(window)}
          />
        ),
      }),
    ],
    [t, onOpen, onRepair],
  );
};
