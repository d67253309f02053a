'use client';

import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** Further actions of a row: a button with three dots, with `Menu.Item`s as children. */
export const MoreMenu = ({ label, children }: { label: string; children: ReactNode }) => (
  <Menu position="bottom-end" width={230}>
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" aria-label={label}>
        <IconDots size={18} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
);
