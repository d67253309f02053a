'use client';

import { IconListDetails } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowButton } from '@/components/data-table/row-button';
import type { Texts } from '@/components/patterns/use-texts';
import { useViewer } from '@/components/patterns/viewer';
import { may } from '@/lib/permissions';
import { visibleText } from '@/lib/visible-text';
import type { AnyList, OpenedRows } from './declare-list';

/** Characters of a row's name in the name of a button. */
const MAX_NAME = 60;

type Row = unknown;

/** The drawer of the details among those of the actions. */
export const DETAILS = '';

export const nameOf = (list: AnyList, row: Row, t: Texts): string =>
  visibleText(list.rowName(row, t), MAX_NAME);

/** The columns of a list with their headers, and the buttons of its rows. */
export const useListColumns = (
  list: AnyList,
  t: Texts,
  open: (about: OpenedRows) => void,
): DataColumn<Row>[] => {
  const shared = useTranslations('patterns.list');
  const { role } = useViewer();
  return useMemo(() => {
    const columns = list.columns.map((column) => ({
      ...column,
      header: column.header ?? t(`column.${column.id}`),
    }));
    const actions = Object.entries(list.actions ?? {}).filter(([, { permission }]) => may(role, permission));
    const count = actions.length + (list.details ? 1 : 0);
    if (count === 0) return columns;
    const buttons = actionsColumn<Row>({
      width: 16 + 32 * count,
      cell: (row) => (
        <>
          {actions.map(
            ([drawer, { icon: Icon, isOffered = () => true }]) =>
              isOffered(row) && (
                <RowButton
                  key={drawer}
                  hint={t(`${drawer}.verb`)}
                  label={t(`${drawer}.title`, { key: nameOf(list, row, t) })}
                  icon={<Icon size={16} />}
                  onClick={() => open({ drawer, rows: [row] })}
                />
              ),
          )}
          {list.details && (
            <RowButton
              hint={shared('details')}
              label={shared('detailsOf', { key: nameOf(list, row, t) })}
              icon={<IconListDetails size={16} />}
              onClick={() => open({ drawer: DETAILS, rows: [row] })}
            />
          )}
        </>
      ),
    });
    return [...columns, buttons];
  }, [list, t, shared, role, open]);
};
