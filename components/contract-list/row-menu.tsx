'use client';

import { MoreMenu } from '@/components/patterns/more-menu';
import type { Texts } from '@/components/patterns/use-texts';
import type { AnyList } from './declare-list';

interface RowMenuProps {
  label: string;
  t: Texts;
  row: unknown;
  actions: [string, NonNullable<AnyList['actions']>[string]][];
  onAction: (name: string, row: unknown) => void;
}

/** The actions of a row behind one button. */
export const RowMenu = ({ label, t, row, actions, onAction }: RowMenuProps) => (
  <MoreMenu
    label={label}
    items={actions
      .filter(([, { isOffered = () => true }]) => isOffered(row))
      .map(([name, { icon: Icon, isRed }]) => ({
        id: name,
        text: t(`menu.${name}`),
        left: <Icon size={16} aria-hidden />,
        color: isRed ? 'red' : undefined,
        onClick: () => onAction(name, row),
      }))}
  />
);
