'use client';

import { Anchor, Badge, Button, Group, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Sparkline } from '@/components/charts/sparkline';
import {
  actionsColumn,
  bytesColumn,
  countColumn,
  keyColumn,
  perSecondColumn,
  rateColumn,
} from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { useConnection } from '@/components/patterns/connection';
import { Count, Rate } from '@/components/patterns/figures';
import { historyQueries } from '@/components/patterns/history-queries';
import { HitRateSource, useHitRateSource } from '@/components/patterns/hit-rate-source';
import type { HitRatePoint } from '@/lib/caches/hit-rates/schema';
import type { FamilyRow } from '@/lib/insights/schema';
import { useRefusal } from './may-invalidate';

/** Keys without a TTL, marked where every key should have one. */
const WithoutTtl = ({ family }: { family: FamilyRow }) => {
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

const maxStored = (types: FamilyRow['types'], documented: string): string =>
  Object.entries(types ?? {}).sort(([, a], [, b]) => b - a)[0]?.[0] ?? documented;

/** The type that most keys are stored as; where that is not the documented one it is marked, and says both. */
export const StoredType = ({ family: { type, types, drift } }: { family: FamilyRow }) => {
  const t = useTranslations('caches');
  if (drift.length === 0) return type;
  const words = drift.map(({ documented, found, keys, of }) =>
    t('drift.type', { documented, found, keys, of }),
  );
  return (
    <Tooltip label={words.join('; ')} multiline maw={300}>
      <Text component="span" size="sm" c="var(--kw-warn-text)" fw={600}>
        <IconAlertTriangle size={14} aria-label={words.join('; ')} /> {maxStored(types, type)}
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
        <Badge size="xs" color="orange" style={{ flexShrink: 0 }}>
          {t('guarded')}
        </Badge>
      )}
    </Group>
  );
};

const NO_POINTS: readonly HitRatePoint[] = [];
const RATE_DOMAIN: [number, number] = [0, 1];

/** The hit rate over the last hour. */
const Run = ({ points }: { points: readonly HitRatePoint[] }) =>
  points.length > 1 && <Sparkline values={points.map(({ hitRate }) => hitRate)} domain={RATE_DOMAIN} />;

/** Points of the last hour by family; empty while they load. */
const useLastHour = (): ReadonlyMap<string, readonly HitRatePoint[]> => {
  const { id } = useConnection();
  const { data } = useQuery(historyQueries.hitRates(id, '1h'));
  return useMemo(() => new Map(data?.families.map(({ family, points }) => [family, points])), [data]);
};

/** The columns of the families table; `onInvalidate` where that is offered. */
export const useFamilyColumns = (
  onOpen: (family: FamilyRow) => void,
  onInvalidate: (family: FamilyRow) => void,
): DataColumn<FamilyRow>[] => {
  const t = useTranslations('caches');
  const refusal = useRefusal();
  const points = useLastHour();
  const sourceOf = useHitRateSource();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a role does not change while the page stands
  return useMemo(
    (): DataColumn<FamilyRow>[] => [
      {
        id: 'title',
        header: t('column.family'),
        width: 190,
        pinned: true,
        cell: (family) => <TitleCell family={family} onOpen={onOpen} />,
        value: (family) => family.title,
      },
      keyColumn({ id: 'pattern', header: t('column.pattern'), width: 180, of: (family) => family.pattern }),
      {
        id: 'type',
        header: t('column.type'),
        width: 80,
        cell: (family) => <StoredType family={family} />,
        value: ({ types, type }) => maxStored(types, type),
      },
      countColumn({ id: 'keys', header: t('column.keys'), width: 70, of: (family) => family.keys }),
      bytesColumn({
        id: 'memory',
        header: t('column.memory'),
        width: 82,
        of: (family) => family.memoryBytes,
      }),
      {
        id: 'hitRate',
        header: t('column.hitRate'),
        width: 100,
        cell: (family) => (
          <span title={family.source === 'none' ? undefined : sourceOf(family)}>
            <HitRate family={family} />
            {family.source !== 'none' && (
              <div>
                <HitRateSource source={family.source} coverage={null} error={null} />
              </div>
            )}
          </span>
        ),
        value: (family) => family.hitRate,
      },
      {
        id: 'run',
        header: t('column.run'),
        width: 82,
        cell: ({ family }) => <Run points={points.get(family) ?? NO_POINTS} />,
      },
      perSecondColumn({
        id: 'misses',
        header: t('column.misses'),
        width: 68,
        of: (family) => family.missesPerSecond,
      }),
      {
        id: 'source',
        header: t('column.source'),
        hiddenAtFirst: true,
        width: 90,
        value: (family) => family.source,
      },
      rateColumn({
        id: 'coverage',
        header: t('column.coverage'),
        hiddenAtFirst: true,
        width: 90,
        of: (family) => family.coverage,
      }),
      {
        id: 'withoutTtl',
        header: t('column.withoutTtl'),
        width: 92,
        align: 'right',
        cell: (family) => <WithoutTtl family={family} />,
        value: (family) => family.withoutTtl,
      },
      {
        id: 'ttl',
        header: t('column.ttl'),
        width: 118,
        align: 'right',
        value: (family) => family.ttl,
      },
      {
        id: 'app',
        header: t('column.app'),
        width: 100,
        hiddenAtFirst: true,
        value: (family) => family.app,
      },
      actionsColumn({
        width: 108,
        cell: (family) =>
          refusal(family) === null && (
            <Button
              size="compact-sm"
              variant="light"
              color="red"
              aria-label={t('invalidateFamily', { family: family.title })}
              onClick={() => onInvalidate(family)}
            >
              {t('invalidate')}
            </Button>
          ),
      }),
    ],
    [t, onOpen, onInvalidate, points],
  );
};
