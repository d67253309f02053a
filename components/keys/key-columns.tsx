'use client';

import { Badge, Group, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { Dimmed } from '@/components/patterns/dimmed';
import { Duration } from '@/components/patterns/figures';
import { KeyLink } from '@/components/patterns/key-link';
import type { KeyRow } from '@/lib/keys/schema';
import { visibleText } from '@/lib/visible-text';
import classes from './keys.module.css';

/** Maximum characters of a name in its cell, and in the cell's hint. */
const SHOWN = 200;
const HINT = 4000;

const NameCell = ({ row }: { row: KeyRow }) => {
  const t = useTranslations('keys');
  return (
    <Group gap={6} wrap="nowrap" className={classes.name}>
      <span title={visibleText(row.key, HINT)} className={classes.link}>
        <KeyLink keyId={row.keyId} max={SHOWN}>
          {row.key}
        </KeyLink>
      </span>
      {row.secret && (
        <Badge size="sm" color="gray" flex="none" title={t('secretHint')}>
          {t('secret')}
        </Badge>
      )}
    </Group>
  );
};

export const useKeyColumns = (): DataColumn<KeyRow>[] => {
  const t = useTranslations('keys');
  const tWord = useTranslations('words');
  return useMemo((): DataColumn<KeyRow>[] => {
    const familyOf = (row: KeyRow): string =>
      row.state === 'classified' ? (row.title ?? row.family ?? '') : t(`state.${row.state}`);
    return [
      {
        id: 'key',
        header: tWord('key'),
        width: 320,
        pinned: true,
        cell: (row) => <NameCell row={row} />,
      },
      {
        id: 'family',
        header: tWord('family'),
        width: 160,
        cell: (row) => (
          <Text span size="sm" {...(row.state !== 'classified' && { c: 'dimmed' })}>
            {familyOf(row)}
          </Text>
        ),
        value: familyOf,
      },
      { id: 'type', header: tWord('type'), width: 80 },
      {
        id: 'ttl',
        header: tWord('ttl'),
        width: 96,
        align: 'right',
        cell: (row) =>
          row.ttlSeconds === null ? <Dimmed span>{t('noTtl')}</Dimmed> : <Duration value={row.ttlSeconds} />,
        value: (row) => row.ttlSeconds,
      },
      bytesColumn({ id: 'memory', header: tWord('memory'), width: 92, of: (row) => row.memoryBytes }),
    ];
  }, [t, tWord]);
};
