'use client';

import { Menu, type MenuProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { ExistingTarget } from './existing-target';
import { Link } from './link';
import { useLater } from './use-later';

/** An action, or with `href` a link: to a page, or with `download` to a file. */
export interface MenuItem {
  id: string;
  text: ReactNode;
  left?: ReactNode;
  right?: ReactNode;
  color?: string | undefined;
  textColor?: string;
  disabled?: boolean;
  /** For an item that is switched on and off. */
  checked?: boolean;
  href?: string;
  download?: boolean;
  onClick?: () => void;
}

export interface MenuContent extends Pick<MenuProps, 'position' | 'width'> {
  /** A line above the items. */
  heading?: ReactNode;
  items: readonly MenuItem[];
}

interface MenuListProps extends MenuContent {
  /** The id of the button. */
  id: string;
  target: HTMLElement;
  opened: boolean;
  onChange: (opened: boolean) => void;
}

const Item = ({ text, left, right, color, textColor, disabled, checked, ...item }: MenuItem) => {
  const { href, download, onClick } = item;
  const looks = {
    leftSection: left,
    rightSection: right,
    ...(color && { color }),
    ...(textColor && { c: textColor }),
  };
  if (checked !== undefined)
    return (
      <Menu.CheckboxItem checked={checked} disabled={disabled} onChange={onClick}>
        {text}
      </Menu.CheckboxItem>
    );
  if (href !== undefined && download)
    return (
      <Menu.Item component="a" href={href} download {...looks}>
        {text}
      </Menu.Item>
    );
  if (href !== undefined)
    return (
      <Menu.Item component={Link} href={href} {...looks}>
        {text}
      </Menu.Item>
    );
  return (
    <Menu.Item {...looks} disabled={disabled} onClick={onClick}>
      {text}
    </Menu.Item>
  );
};

export const MenuList = ({ id, target, opened, onChange, heading, items, ...menu }: MenuListProps) => {
  return (
    <Menu {...menu} id={id} opened={useLater(opened)} onChange={onChange}>
      <Menu.Target>
        <ExistingTarget element={target} />
      </Menu.Target>
      <Menu.Dropdown>
        {heading && <Menu.Label>{heading}</Menu.Label>}
        {items.map((item) => (
          <Item key={item.id} {...item} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
};
