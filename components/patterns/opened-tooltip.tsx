'use client';

import { Tooltip, type TooltipProps } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useState } from 'react';

export type TooltipLooks = Pick<TooltipProps, 'label' | 'multiline' | 'maw' | 'w' | 'position'>;

interface OpenedTooltipProps extends TooltipLooks {
  id: string;
  target: HTMLElement;
  onClose: () => void;
}

export const OpenedTooltip = ({ id, target, label, onClose, ...props }: OpenedTooltipProps) => {
  // Positioned by its target, which is available in an effect: until then it is closed.
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && onClose());
  useWindowEvent('pointerdown', (event) => !target.contains(event.target as Node) && onClose());
  return <Tooltip {...props} opened={opened} target={target} label={<span id={id}>{label}</span>} />;
};
