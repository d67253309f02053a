'use client';

import { Button, type ButtonProps, Menu } from '@mantine/core';

const FORMATS = ['csv', 'json'] as const;

interface ExportMenuProps extends Omit<ButtonProps, 'children'> {
  title: string;
  /** The content of the file. */
  what: string;
  hrefOf: (format: (typeof FORMATS)[number]) => string;
}

/** Downloads something as CSV or JSON; the server writes the file. */
export const ExportMenu = ({ title, what, hrefOf, ...button }: ExportMenuProps) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <Button variant="default" {...button}>
        {title}
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Label>{what}</Menu.Label>
      {FORMATS.map((format) => (
        <Menu.Item key={format} component="a" href={hrefOf(format)} download>
          {format.toUpperCase()}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
