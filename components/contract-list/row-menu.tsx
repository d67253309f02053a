'use client';

import { Menu } from '@mantine/core';
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
  <MoreMenu label={label}>
    {actions.map(([name, { icon: Icon, isOffered = () => true, isRed }]) =>
      isOffered(row) ? (
        <Menu.Item
          key={name}
          leftSection={<Icon size={16} aria-hidden />}
          color={isRed ? 'red' : undefined}
          onClick={() => onAction(name, row)}
        >
          {t(`menu.${name}`)}
        </Menu.Item>
      ) : null,
    )}
  </MoreMenu>
);
