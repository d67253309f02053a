'use client';

import { Button, type ButtonProps } from '@mantine/core';
import { Menu } from './menu';

const FORMATS = ['csv', 'json'] as const;

interface ExportMenuProps extends Omit<ButtonProps, 'children'> {
  title: string;
  /** The content of the file. */
  what: string;
  hrefOf: (format: (typeof FORMATS)[number]) => string;
}

/** Downloads something as CSV or JSON; the server writes the file. */
export const ExportMenu = ({ title, what, hrefOf, ...button }: ExportMenuProps) => (
  <Menu
    position="bottom-end"
    heading={what}
    items={FORMATS.map((format) => ({
      id: format,
      text: format.toUpperCase(),
      href: hrefOf(format),
      download: true,
    }))}
  >
    <Button variant="default" {...button}>
      {title}
    </Button>
  </Menu>
);
