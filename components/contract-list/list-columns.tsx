'use client';

import { IconListDetails } from '@tabler/icons-react';
import { useRouter } from 'next/navigation';
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
import { RowMenu } from './row-menu';

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
  page: unknown,
  open: (about: OpenedRows) => void,
  onChange: (change: Record<string, string>) => void,
): DataColumn<Row>[] => {
  const shared = useTranslations('patterns.list');
  const tWord = useTranslations('words');
  const { role } = useViewer();
  const router = useRouter();
  const without = page === undefined ? '' : (list.without?.(page).join(' ') ?? '');
  return useMemo(() => {
    const columns = list.columns
      .filter(({ id }) => !without.split(' ').includes(id))
      .map(
        (column): DataColumn<Row> =>
          ({ ...column, header: t(`column.${column.header ?? column.id}`) }) as DataColumn<Row>,
      );
    const actions = Object.entries(list.actions ?? {}).filter(([, { permission }]) => may(role, permission));
    const count = (list.isMenu ? Math.min(1, actions.length) : actions.length) + (list.details ? 1 : 0);
    if (count === 0) return columns;
    const onAction = (drawer: string, row: Row) => {
      const { addressOf, hrefOf } = list.actions?.[drawer] ?? {};
      if (hrefOf) router.push(hrefOf(row));
      else if (addressOf) onChange(addressOf(row));
      else open({ drawer, rows: [row] });
    };
    const buttons = actionsColumn<Row>({
      // A cell's padding is 24. The button of a menu is wider than others.
      width: (list.isMenu ? 24 : 16) + 32 * count,
      cell: (row) => (
        <>
          {list.isMenu ? (
            <RowMenu
              label={t('actionsOf', { key: nameOf(list, row, t) })}
              t={t}
              row={row}
              actions={actions}
              onAction={onAction}
            />
          ) : (
            actions.map(
              ([drawer, { icon: Icon, isOffered = () => true }]) =>
                isOffered(row) && (
                  <RowButton
                    key={drawer}
                    hint={t(`${drawer}.verb`)}
                    label={t(`${drawer}.title`, { key: nameOf(list, row, t) })}
                    icon={<Icon size={16} />}
                    onClick={() => onAction(drawer, row)}
                  />
                ),
            )
          )}
          {list.details && (
            <RowButton
              hint={tWord('details')}
              label={shared('detailsOf', { key: nameOf(list, row, t) })}
              icon={<IconListDetails size={16} />}
              onClick={() => onAction(DETAILS, row)}
            />
          )}
        </>
      ),
    });
    return [...columns, buttons];
  }, [list, t, without, shared, role, router, open, onChange, tWord]);
};
