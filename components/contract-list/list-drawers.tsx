'use client';

import type { Opened } from '@/components/patterns/use-opened';
import type { AnyList } from './declare-list';
import { DETAILS } from './list-columns';

type Row = unknown;

interface DrawersProps {
  list: AnyList;
  rows: readonly Row[];
  opened: Opened<{ drawer: string; row: Row }>;
  /** Asks for the change of several rows. */
  onBulk: ((rows: readonly Row[]) => void) | undefined;
}

/** The drawers of the rows: of the actions, and of the details. */
export const RowDrawers = ({ list, rows, opened, onBulk }: DrawersProps) => {
  const { about, key } = opened;
  const current = about ? rows.find((row) => list.rowId(row) === list.rowId(about.row)) : undefined;
  const drawers = Object.entries(list.actions ?? {}).map(([name, { drawer }]) => [name, drawer] as const);
  const all = list.details ? [...drawers, [DETAILS, list.details] as const] : drawers;
  const ask = () => {
    opened.close();
    if (about) onBulk?.([about.row]);
  };
  return all.map(([name, Drawer]) => {
    const isThis = about?.drawer === name;
    return (
      <Drawer
        // The fields of a form are empty each time it opens; details may stay.
        key={name === DETAILS ? name : `${name} ${isThis ? key : ''}`}
        row={isThis ? about.row : null}
        current={isThis ? current : undefined}
        opened={isThis && opened.opened}
        onClose={opened.close}
        onClosed={opened.forget}
        onBulk={onBulk && ask}
        {...(name === DETAILS && about && { onAction: (drawer) => opened.open({ drawer, row: about.row }) })}
      />
    );
  });
};
