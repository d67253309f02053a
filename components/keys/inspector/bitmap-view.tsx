'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { useFormat } from '@/components/patterns/use-format';
import { setBits } from './hex-rows';
import classes from './inspector.module.css';

const MAX_LISTED = 2000;

interface BitmapViewProps {
  bytes: Uint8Array;
  offset: number;
  /** The number in the complete value, if counted. */
  bitsSet: number | null;
}

/** The positions of the set bits, numbered as in SETBIT and GETBIT. */
export const BitmapView = ({ bytes, offset, bitsSet }: BitmapViewProps) => {
  const t = useTranslations('keys.inspector.value.bitmap');
  const format = useFormat();
  const bits = useMemo(() => setBits(bytes, offset, MAX_LISTED), [bytes, offset]);
  return (
    <>
      <Text size="sm" mb="xs">
        {t('onPage', { count: bits.count })}
        {bitsSet !== null && ` · ${t('inAll', { count: bitsSet })}`}
      </Text>
      {bits.positions.length > 0 && (
        <ul className={classes.bits} aria-label={t('label')}>
          {bits.positions.map((position) => (
            <li key={position}>{format.count(position)}</li>
          ))}
        </ul>
      )}
      {bits.count > bits.positions.length && (
        <Dimmed size="xs">{t('more', { count: bits.count - bits.positions.length })}</Dimmed>
      )}
    </>
  );
};
