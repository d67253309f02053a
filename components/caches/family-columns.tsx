'use client';

import { Anchor, Badge, Button, Group, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { Bytes, Count, Rate } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import type { FamilyRow } from '@/lib/insights/schema';
import { useRefusal } from './may-invalidate';

/** Keys without a TTL, marked where every key should have one. */
export const WithoutTtl = ({ family }: { family: FamilyRow }) => {
  const t = useTranslations('caches');
  if (!family.expires || !family.withoutTtl) return <Count value={family.withoutTtl} />;
  return (
    <Tooltip label={t('shouldExpire', { ttl: family.ttl })}>
      <Text component="span" size="sm" c="var(--kw-warn-text)" fw={600}>
        <IconAlertTriangle size={14} aria-label={t('shouldExpire', { ttl: family.ttl })} />{' '}
        <Count value={family.withoutTtl} />
      </Text>
    </Tooltip>
  );
};

/** The hit rate, or "—" with the reason why it is not known. */
export const HitRate = ({ family }: { family: FamilyRow }) => {
  const t = useTranslations('caches');
  if (family.hitRate !== null) return <Rate value={family.hitRate} />;
  return (
    <Tooltip label={t('notSampled')}>
      <Text component="span" size="sm" c="dimmed">
        — <VisuallyHidden>{t('notSampled')}</VisuallyHidden>
      </Text>
    </Tooltip>
  );
};

const TitleCell = ({ family, onOpen }: { family: FamilyRow; onOpen: (family: FamilyRow) => void }) => {
  const t = useTranslations('caches');
  return (
    <Group gap={6} wrap="nowrap">
      <Anchor
        component="button"
        size="sm"
        fw={600}
        ta="start"
        title={family.purpose}
        onClick={() => onOpen(family)}
      >
        {family.title}
      </Anchor>
      {family.guarded && (
        <Badge size="xs" color="orange" variant="light" tt="none" style={{ flexShrink: 0 }}>
          {t('guarded')}
        </Badge>
      )}
    </Group>
  );
};

/** The columns of the families table; `onOpen` shows a family, with its invalidation where it is offered. */
export const useFamilyColumns = (onOpen: (family: FamilyRow) => void): DataColumn<FamilyRow>[] => {
  const t = useTranslations('caches');
  const refusal = useRefusal();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a role does not change while the page stands
  return useMemo(
    (): DataColumn<FamilyRow>[] => [
      {
        id: 'title',
        header: t('column.family'),
        width: 215,
        pinned: true,
        cell: (family) => <TitleCell family={family} onOpen={onOpen} />,
        value: (family) => family.title,
      },
      {
        id: 'pattern',
        header: t('column.pattern'),
        width: 210,
        cell: (family) => <KeyText>{family.pattern}</KeyText>,
        value: (family) => family.pattern,
      },
      {
        id: 'type',
        header: t('column.type'),
        width: 70,
        cell: (family) => family.type,
        value: (family) => family.type,
      },
      {
        id: 'keys',
        header: t('column.keys'),
        width: 80,
        align: 'right',
        cell: (family) => <Count value={family.keys} />,
        value: (family) => family.keys,
      },
      {
        id: 'memory',
        header: t('column.memory'),
        width: 90,
        align: 'right',
        cell: (family) => <Bytes value={family.memoryBytes} />,
        value: (family) => family.memoryBytes,
      },
      {
        id: 'hitRate',
        header: t('column.hitRate'),
        width: 80,
        align: 'right',
        cell: (family) => <HitRate family={family} />,
        value: (family) => family.hitRate,
      },
      {
        id: 'withoutTtl',
        header: t('column.withoutTtl'),
        width: 105,
        align: 'right',
        cell: (family) => <WithoutTtl family={family} />,
        value: (family) => family.withoutTtl,
      },
      {
        id: 'ttl',
        header: t('column.ttl'),
        width: 125,
        align: 'right',
        cell: (family) => family.ttl,
        value: (family) => family.ttl,
      },
      {
        id: 'app',
        header: t('column.app'),
        width: 100,
        hiddenAtFirst: true,
        cell: (family) => family.app,
        value: (family) => family.app,
      },
      {
        id: 'invalidate',
        header: '',
        width: 110,
        pinned: true,
        align: 'right',
        cell: (family) =>
          refusal(family) === null && (
            <Button
              size="compact-sm"
              variant="light"
              color="red"
              aria-label={t('invalidateFamily', { family: family.title })}
              onClick={() => onOpen(family)}
            >
              {t('invalidate')}
            </Button>
          ),
      },
    ],
    [t, onOpen],
  );
};
