'use client';

import { Tooltip, type TooltipProps } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useLater } from './use-later';

export type TooltipLooks = Pick<TooltipProps, 'label' | 'multiline' | 'maw' | 'w' | 'position'>;

interface OpenedTooltipProps extends TooltipLooks {
  id: string;
  target: HTMLElement;
  onClose: () => void;
}

export const OpenedTooltip = ({ id, target, label, onClose, ...props }: OpenedTooltipProps) => {
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && onClose());
  useWindowEvent('pointerdown', (event) => !target.contains(event.target as Node) && onClose());
  return <Tooltip {...props} opened={useLater(true)} target={target} label={<span id={id}>{label}</span>} />;
};
