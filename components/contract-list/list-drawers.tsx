'use client';

import type { Opened } from '@/components/patterns/use-opened';
import type { AnyList, OpenedRows } from './declare-list';
import { DETAILS } from './list-columns';

type Row = unknown;
const NO_ROWS: readonly Row[] = [];

interface DrawersProps {
  list: AnyList;
  rows: readonly Row[];
  page: unknown;
  opened: Opened<OpenedRows>;
  /** Asks for the change of several rows. */
  onBulk: ((rows: readonly Row[]) => void) | undefined;
}

/** The drawers of the rows: of the actions, and of the details. */
export const RowDrawers = ({ list, rows, page, opened, onBulk }: DrawersProps) => {
  const { about, key } = opened;
  const chosen = about?.rows[0];
  const current = about && rows.find((row) => list.rowId(row) === list.rowId(chosen));
  const drawers = Object.entries(list.actions ?? {}).flatMap(([name, { drawer }]) =>
    drawer ? [[name, drawer] as const] : [],
  );
  const all = list.details ? [...drawers, [DETAILS, list.details] as const] : drawers;
  const ask = () => {
    opened.close();
    if (about) onBulk?.(about.rows);
  };
  return all.map(([name, Drawer]) => {
    const isThis = about?.drawer === name;
    return (
      <Drawer
        // The fields of a form are empty each time it opens; details may stay.
        key={name === DETAILS ? name : `${name} ${isThis ? key : ''}`}
        row={isThis ? chosen : null}
        rows={isThis ? about.rows : NO_ROWS}
        current={isThis ? current : undefined}
        page={page}
        opened={isThis && opened.opened}
        onClose={opened.close}
        onClosed={opened.forget}
        onBulk={onBulk && ask}
        onApplied={isThis ? about.onApplied : undefined}
        {...(name === DETAILS && about && { onAction: (drawer) => opened.open({ ...about, drawer }) })}
      />
    );
  });
};
