'use client';

import { Tooltip as OpenTooltip, type TooltipProps } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import {
  cloneElement,
  type HTMLAttributes,
  type ReactElement,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';

const OPEN_DELAY_MS = 250;

interface Props extends Pick<TooltipProps, 'label' | 'multiline' | 'maw' | 'w' | 'position'> {
  disabled?: boolean;
  children: ReactElement<HTMLAttributes<HTMLElement>>;
}

interface OpenedProps extends Omit<Props, 'disabled' | 'children'> {
  id: string;
  target: HTMLElement;
  onClose: () => void;
}

const Opened = ({ id, target, label, onClose, ...props }: OpenedProps) => {
  // Positioned by its target, which is available in an effect: until then it is closed.
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && onClose());
  useWindowEvent('pointerdown', (event) => !target.contains(event.target as Node) && onClose());
  return <OpenTooltip {...props} opened={opened} target={target} label={<span id={id}>{label}</span>} />;
};

/**
 * Describes its child while that is hovered or has the keyboard focus; after a tap until the next one elsewhere.
 * Mantine's tooltip uses about sixty hooks, and a list has hundreds of tooltips, so it is mounted when it opens.
 */
export const Tooltip = ({ children, disabled = false, ...props }: Props) => {
  const id = useId();
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const delay = useRef<ReturnType<typeof setTimeout>>(undefined);
  const close = () => {
    clearTimeout(delay.current);
    setTarget(null);
  };
  const shown = disabled ? null : target;
  const own = children.props;
  const child = cloneElement(children, {
    'aria-describedby': shown ? id : own['aria-describedby'],
    onPointerEnter: (event) => {
      own.onPointerEnter?.(event);
      const { currentTarget } = event;
      delay.current = setTimeout(() => setTarget(currentTarget), OPEN_DELAY_MS);
    },
    onPointerLeave: (event) => {
      own.onPointerLeave?.(event);
      if (event.pointerType !== 'touch') close();
    },
    onFocus: (event) => {
      own.onFocus?.(event);
      if (event.target.matches(':focus-visible')) setTarget(event.currentTarget);
    },
    onBlur: (event) => {
      own.onBlur?.(event);
      close();
    },
  });
  return (
    <>
      {child}
      {shown && <Opened {...props} id={id} target={shown} onClose={close} />}
    </>
  );
};
