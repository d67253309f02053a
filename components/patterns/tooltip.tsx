'use client';

import {
  cloneElement,
  type HTMLAttributes,
  type ReactElement,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { onDemand } from './on-demand';
import type { TooltipLooks } from './opened-tooltip';

const OPEN_DELAY_MS = 250;

interface Props extends TooltipLooks {
  disabled?: boolean;
  children: ReactElement<HTMLAttributes<HTMLElement>>;
}

const OpenedTooltip = onDemand(async () => (await import('./opened-tooltip')).OpenedTooltip);

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
  useEffect(() => {
    return () => clearTimeout(delay.current);
  }, []);
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
      {shown && <OpenedTooltip {...props} id={id} target={shown} onClose={close} />}
    </>
  );
};
