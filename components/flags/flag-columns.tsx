'use client';

import { Group } from '@mantine/core';
import { IconClock, IconHistory, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, keyColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowButton } from '@/components/data-table/row-button';
import type { Flag } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { ChangeCell, NameCell, ValueCell } from './flag-cells';
import { FlagSwitch } from './flag-switch';
import { useObstacle } from './policy';
import type { Decision, NamedRequest } from './request-line';
import { ScheduledCell } from './scheduled-cell';

/** Row actions. Must be memoised: the columns are rebuilt when it changes. */
export interface FlagActions {
  history: (flag: Flag) => void;
  schedule: (flag: Flag) => void;
  describe: (flag: Flag) => void;
  remove: (flag: Flag) => void;
  decide: (decision: Decision, request: NamedRequest) => void;
}

const RowButtons = ({ flag, actions }: { flag: Flag; actions: FlagActions }) => {
  const t = useTranslations('flags');
  const tWord = useTranslations('words');
  const mayChange = useObstacle() === null;
  const requested = flag.request?.state === 'pending';
  const name = visibleText(flag.name, 80);
  const scheduled = flag.schedule.length > 0;
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {(scheduled || (mayChange && flag.enabled !== null && !requested)) && (
        <RowButton
          hint={t('schedule.button')}
          label={t('schedule.of', { name })}
          icon={<IconClock size={16} />}
          onClick={() => actions.schedule(flag)}
        />
      )}
      <RowButton
        hint={tWord('history')}
        label={tWord('historyOf', { name })}
        icon={<IconHistory size={16} />}
        onClick={() => actions.history(flag)}
      />
      {mayChange && !requested && (
        <RowButton
          hint={t('request.kind.delete')}
          label={tWord('deleteName', { name })}
          icon={<IconTrash size={16} />}
          onClick={() => actions.remove(flag)}
        />
      )}
    </Group>
  );
};

export const useFlagColumns = (actions: FlagActions): DataColumn<Flag>[] => {
  const t = useTranslations('flags');
  const tWord = useTranslations('words');
  return useMemo(
    (): DataColumn<Flag>[] => [
      {
        id: 'state',
        header: tWord('state'),
        width: 125,
        least: 125,
        pinned: true,
        card: 'head',
        cell: (flag) => <FlagSwitch flag={flag} />,
        value: (flag) => flag.enabled,
      },
      {
        id: 'name',
        header: t('column.name'),
        width: 280,
        pinned: true,
        card: 'title',
        cell: (flag) => <NameCell flag={flag} onDescribe={actions.describe} />,
      },
      textColumn({
        id: 'description',
        header: tWord('description'),
        // The name column shows it; the separate column is for exports.
        hiddenAtFirst: true,
        max: 160,
      }),
      textColumn({
        id: 'owner',
        header: t('column.owner'),
        hiddenAtFirst: true,
        max: 100,
      }),
      {
        id: 'value',
        minor: true,
        header: tWord('storedValue'),
        width: 170,
        cell: (flag) => <ValueCell flag={flag} />,
        value: (flag) => flag.raw,
      },
      {
        id: 'next',
        header: t('filter.marks.scheduled'),
        width: 240,
        pinned: true,
        cell: (flag) => <ScheduledCell flag={flag} onSchedule={actions.schedule} onDecide={actions.decide} />,
        value: (flag) => flag.schedule.find(({ state }) => state === 'waiting')?.at ?? null,
      },
      {
        id: 'updatedAt',
        header: t('column.changed'),
        width: 240,
        cell: (flag) => <ChangeCell flag={flag} />,
      },
      textColumn({
        id: 'updatedBy',
        header: t('column.by'),
        hiddenAtFirst: true,
        max: 120,
      }),
      keyColumn({
        id: 'key',
        header: tWord('key'),
        width: 260,
        hiddenAtFirst: true,
      }),
      actionsColumn({
        width: 110,
        cell: (flag) => <RowButtons flag={flag} actions={actions} />,
      }),
    ],
    [t, actions, tWord],
  );
};
