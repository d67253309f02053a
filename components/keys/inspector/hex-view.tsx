'use client';

import { Box, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { hexRow, hexRowCount } from './hex-rows';
import classes from './inspector.module.css';
import { VirtualRows } from './virtual-rows';

/** Bytes in rows of sixteen, with their offset in the value and as ASCII. */
export const HexView = ({ bytes, offset }: { bytes: Uint8Array; offset: number }) => {
  const t = useTranslations('keys.inspector.value');
  if (bytes.length === 0) return <span className={classes.quiet}>{t('noBytes')}</span>;
  return (
    <VirtualRows
      label={t('form.hex')}
      count={hexRowCount(bytes.length)}
      estimate={20}
      row={(index) => {
        const row = hexRow(bytes, index, offset);
        return (
          <div className={classes.hexRow}>
            <span className={classes.gutter}>{row.offset.toString(16).padStart(8, '0')}</span>
            <Box component="span" flex="none" w="48ch">
              {row.hex}
            </Box>
            <Text span inherit c="dimmed" aria-hidden>
              {row.ascii}
            </Text>
          </div>
        );
      }}
    />
  );
};
