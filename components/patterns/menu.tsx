'use client';

import {
  type ButtonHTMLAttributes,
  cloneElement,
  type MouseEvent,
  type ReactElement,
  useId,
  useState,
} from 'react';
import type { MenuContent } from './menu-list';
import { onDemand } from './on-demand';

interface MenuProps extends MenuContent {
  /** The button that opens it. */
  children: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;
}

const MenuList = onDemand(async () => (await import('./menu-list')).MenuList);

/**
 * A menu below its button. Mantine's menu and the positioning it brings are an eighth of a page's script, and a list
 * has a menu in each row, so they are loaded on demand and mounted when the menu is first opened.
 */
export const Menu = ({ children, ...content }: MenuProps) => {
  const id = useId();
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const [opened, setOpened] = useState(false);
  const button = cloneElement(children, {
    id,
    'aria-haspopup': 'menu',
    'aria-expanded': opened,
    'aria-controls': opened ? `${id}-dropdown` : undefined,
    onClick: (event: MouseEvent<HTMLButtonElement>) => {
      children.props.onClick?.(event);
      setTarget(event.currentTarget);
      setOpened(!opened);
    },
  });
  return (
    <>
      {button}
      {target && <MenuList {...content} id={id} target={target} opened={opened} onChange={setOpened} />}
    </>
  );
};
