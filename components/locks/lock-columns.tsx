'use client';

import { Group, Text } from '@mantine/core';
import { IconLockOpen } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, keyColumn, keyLinkColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowButton } from '@/components/data-table/row-button';
import { KeyText } from '@/components/patterns/hostile-text';
import { useFormat } from '@/components/patterns/use-format';
import { UNKNOWN } from '@/lib/format';
import type { Lock } from '@/lib/locks/schema';
import { visibleText } from '@/lib/visible-text';
import { LeftFigure, MeantBadge } from './list-parts';

export const LockProblems = ({ lock: { problems } }: { lock: Lock }) => {
  const t = useTranslations('locks');
  if (problems.length === 0) return <span>{t('problem.none')}</span>;
  return (
    <Group gap={4}>
      {problems.map((id) => (
        <MeantBadge key={id} color={id === 'noTtl' ? 'red' : 'orange'} means={t(`problemMeans.${id}`)}>
          {t(`problem.${id}`)}
        </MeantBadge>
      ))}
    </Group>
  );
};

/** The beginning of the token, and a digest by which owners differ. */
export const OwnerText = ({ lock: { owner, ownerDigest } }: { lock: Lock }) => {
  const t = useTranslations('locks');
  if (owner === null) return <span>{UNKNOWN}</span>;
  return (
    <>
      <KeyText max={40}>{owner}</KeyText>{' '}
      {ownerDigest && (
        <Text span size="xs" c="dimmed" title={t('digest')}>
          {ownerDigest}
        </Text>
      )}
    </>
  );
};

/** "12 s", or "≥ 12 s" where it may be older. */
export const AgeFigure = ({ lock: { ageSeconds, ageIsAtLeast } }: { lock: Lock }) => {
  const t = useTranslations('locks');
  const format = useFormat();
  const age = format.duration(ageSeconds);
  if (ageSeconds === null) return <span>{age}</span>;
  return <span title={t(ageIsAtLeast ? 'ageAtLeast' : 'ageByTtl')}>{ageIsAtLeast ? `≥ ${age}` : age}</span>;
};

/** `onRelease` absent: without the permission to change. */
export const useLockColumns = (onRelease: ((lock: Lock) => void) | undefined): DataColumn<Lock>[] => {
  const t = useTranslations('locks');
  return useMemo(() => {
    const columns: DataColumn<Lock>[] = [
      keyLinkColumn({ header: t('column.lock'), width: 220 }),
      {
        id: 'problems',
        header: t('column.problems'),
        width: 170,
        cell: (lock) => <LockProblems lock={lock} />,
        value: ({ problems }) => problems.join(' '),
      },
      keyColumn({
        id: 'operation',
        header: t('column.operation'),
        width: 120,
        minor: true,
        max: 40,
        of: ({ operation }) => operation,
      }),
      keyColumn({
        id: 'entity',
        header: t('column.entity'),
        width: 110,
        max: 40,
        of: ({ entityId }) => entityId,
      }),
      {
        id: 'owner',
        header: t('column.owner'),
        width: 170,
        cell: (lock) => <OwnerText lock={lock} />,
        value: ({ owner }) => owner,
      },
      {
        id: 'age',
        header: t('column.age'),
        width: 90,
        align: 'right',
        cell: (lock) => <AgeFigure lock={lock} />,
        value: ({ ageSeconds }) => ageSeconds,
      },
      {
        id: 'ttl',
        header: t('column.ttl'),
        width: 110,
        align: 'right',
        cell: ({ ttlSeconds }) => <LeftFigure seconds={ttlSeconds} />,
        value: ({ ttlSeconds }) => ttlSeconds,
      },
      keyColumn({
        id: 'family',
        header: t('column.family'),
        hiddenAtFirst: true,
        of: ({ family }) => family,
      }),
    ];
    if (onRelease)
      columns.push(
        actionsColumn({
          width: 64,
          cell: (lock) =>
            lock.etag !== null && (
              <RowButton
                hint={t('release.verb')}
                label={t('release.title', { key: visibleText(lock.key, 60) })}
                icon={<IconLockOpen size={16} />}
                onClick={() => onRelease(lock)}
              />
            ),
        }),
      );
    return columns;
  }, [t, onRelease]);
};
