'use client';

import { Button } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Selection } from '@/components/data-table/columns';
import type { Texts } from '@/components/patterns/use-texts';
import { useViewer } from '@/components/patterns/viewer';
import { may } from '@/lib/permissions';
import type { AnyList, OpenedRows } from './declare-list';
import { nameOf } from './list-columns';

type Row = unknown;

/** Checkboxes, and a button for each action of several rows; undefined where the list or the role has none. */
export const useManySelection = (
  list: AnyList,
  t: Texts,
  open: (about: OpenedRows) => void,
): Selection<Row> | undefined => {
  const tWord = useTranslations('words');
  const { role } = useViewer();
  return useMemo(() => {
    const actions = Object.entries(list.actions ?? {}).filter(
      ([, { ofMany, permission }]) => ofMany && may(role, permission),
    );
    if (actions.length === 0) return undefined;
    return {
      rowLabel: (row) => tWord('select', { key: nameOf(list, row, t) }),
      actions: (rows, onApplied) =>
        actions.map(([drawer]) => (
          <Button key={drawer} size="xs" color="red" onClick={() => open({ drawer, rows, onApplied })}>
            {t(`${drawer}.many`, { count: rows.length })}
          </Button>
        )),
    };
  }, [list, t, role, open, tWord]);
};
