import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './columns.module.css';

interface ColumnsProps {
  /** Pixels. */
  least?: number;
  /** Those that arrive later do not change the width of the others. */
  keepsWidth?: boolean;
  mt?: number;
  children: ReactNode;
}

/** As many columns as fit; one on a phone. */
export const Columns = ({ least = 420, keepsWidth = false, mt, children }: ColumnsProps) => (
  <Box
    className={classes.columns}
    data-keeps={keepsWidth || undefined}
    mt={mt}
    __vars={{ '--least': `${least}px` }}
  >
    {children}
  </Box>
);
