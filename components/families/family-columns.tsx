'use client';

import { Badge, Button, Group, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import { useFamilyStyles } from '@/components/charts/family-styles';
import { RateSparkline } from '@/components/charts/rate-sparkline';
import {
  actionsColumn,
  bytesColumn,
  countColumn,
  keyColumn,
  perSecondColumn,
  rateColumn,
} from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowName } from '@/components/data-table/row-name';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Count, Rate } from '@/components/patterns/figures';
import { historyQueries } from '@/components/patterns/history-queries';
import { HitRateSource, useHitRateSource } from '@/components/patterns/hit-rate-source';
import { Strong } from '@/components/patterns/strong';
import { Tooltip } from '@/components/patterns/tooltip';
import { useTtlWords } from '@/components/patterns/use-ttl-words';
import type { FamilyRow } from '@/lib/families/schema';
import { useRefusal } from './may-invalidate';

/** Keys without a TTL, marked where every key should have one. */
const WithoutTtl = ({ family }: { family: FamilyRow }) => {
  const t = useTranslations('families');
  if (!family.expires || !family.withoutTtl) return <Count value={family.withoutTtl} />;
  return (
    <Tooltip label={t('shouldExpire', { ttl: family.ttl })}>
      <Strong component="span" c="var(--kw-warn-text)">
        <IconAlertTriangle size={14} aria-label={t('shouldExpire', { ttl: family.ttl })} />{' '}
        <Count value={family.withoutTtl} />
      </Strong>
    </Tooltip>
  );
};

const maxStored = (types: FamilyRow['types'], documented: string): string =>
  Object.entries(types ?? {}).sort(([, a], [, b]) => b - a)[0]?.[0] ?? documented;

/** The type that most keys are stored as, marked where it is not the documented one. */
export const StoredType = ({ family: { type, types, drift } }: { family: FamilyRow }) => {
  const t = useTranslations('families');
  if (drift.length === 0) return type;
  const words = drift.map(({ documented, found, keys, of }) =>
    t('drift.type', { documented, found, keys, of }),
  );
  return (
    <Tooltip label={words.join('; ')} multiline maw={300}>
      <Strong component="span" c="var(--kw-warn-text)">
        <IconAlertTriangle size={14} aria-label={words.join('; ')} /> {maxStored(types, type)}
      </Strong>
    </Tooltip>
  );
};

/** The hit rate, or why it is unknown. */
export const HitRate = ({ family }: { family: FamilyRow }) => {
  const t = useTranslations('families');
  if (family.hitRate !== null) return <Rate value={family.hitRate} />;
  const lookups = (family.hits ?? 0) + (family.misses ?? 0);
  if (family.source !== 'none' && lookups > 0)
    return <Dimmed component="span">{t('tooFew', { count: lookups })}</Dimmed>;
  return (
    <Tooltip label={t('notSampled')}>
      <Dimmed component="span">
        — <VisuallyHidden>{t('notSampled')}</VisuallyHidden>
      </Dimmed>
    </Tooltip>
  );
};

const TitleCell = ({ family, onOpen }: { family: FamilyRow; onOpen: (family: FamilyRow) => void }) => {
  const t = useTranslations('families');
  return (
    <Group gap={6} wrap="nowrap">
      <RowName title={family.purpose} onClick={() => onOpen(family)}>
        {family.title}
      </RowName>
      {family.guarded && (
        <Badge size="xs" color="orange" style={{ flexShrink: 0 }}>
          {t('guarded')}
        </Badge>
      )}
    </Group>
  );
};

/** The sparkline of each family's hit rate over the last hour; nothing while the points load. */
const useLastHour = (): ((family: string) => ReactNode) => {
  const { id } = useConnection();
  const styleOf = useFamilyStyles(id);
  const { data } = useQuery(historyQueries.hitRates(id, '1h'));
  return useMemo(() => {
    const points = new Map(data?.families.map(({ family, points }) => [family, points]));
    return (family) => {
      const known = points.get(family);
      return (
        data &&
        known && (
          <RateSparkline points={known} span={data} stepSeconds={data.stepSeconds} style={styleOf(family)} />
        )
      );
    };
  }, [data, styleOf]);
};

/** The columns of the families table, with an Invalidate action where the role and the family allow it. */
export const useFamilyColumns = (
  onOpen: (family: FamilyRow) => void,
  onInvalidate: (family: FamilyRow) => void,
): DataColumn<FamilyRow>[] => {
  const t = useTranslations('families');
  const tWord = useTranslations('words');
  const ttlWords = useTtlWords();
  const refusal = useRefusal();
  const lastHour = useLastHour();
  const sourceOf = useHitRateSource();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a role does not change while the page is open
  return useMemo(
    (): DataColumn<FamilyRow>[] => [
      {
        id: 'title',
        header: tWord('family'),
        width: 190,
        pinned: true,
        cell: (family) => <TitleCell family={family} onOpen={onOpen} />,
      },
      keyColumn({
        id: 'pattern',
        header: tWord('pattern'),
        width: 160,
        card: 'hidden',
      }),
      {
        id: 'type',
        header: tWord('type'),
        width: 72,
        card: 'hidden',
        cell: (family) => <StoredType family={family} />,
        value: ({ types, type }) => maxStored(types, type),
      },
      countColumn({
        id: 'keys',
        header: tWord('keys'),
        width: 70,
        sortable: true,
      }),
      bytesColumn({
        id: 'memory',
        header: tWord('memory'),
        width: 86,
        sortable: true,
        of: (family) => family.memoryBytes,
      }),
      {
        id: 'hitRate',
        header: tWord('hitRate'),
        width: 118,
        least: 118,
        sortable: true,
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
      },
      {
        id: 'run',
        header: t('column.run'),
        width: 82,
        card: 'hidden',
        cell: ({ family }) => lastHour(family),
        value: null,
      },
      perSecondColumn({
        id: 'misses',
        header: tWord('misses'),
        width: 78,
        sortable: true,
        of: (family) => family.missesPerSecond,
      }),
      {
        id: 'source',
        header: tWord('source'),
        hiddenAtFirst: true,
        width: 90,
      },
      rateColumn({
        id: 'coverage',
        header: tWord('coverage'),
        hiddenAtFirst: true,
        width: 90,
      }),
      {
        id: 'withoutTtl',
        header: tWord('withoutTtl'),
        width: 92,
        card: 'hidden',
        align: 'right',
        cell: (family) => <WithoutTtl family={family} />,
      },
      {
        id: 'ttl',
        header: tWord('ttl'),
        width: 108,
        card: 'hidden',
        align: 'right',
        cell: (family) => ttlWords(family.ttl),
      },
      {
        id: 'app',
        header: tWord('application'),
        width: 100,
        hiddenAtFirst: true,
      },
      actionsColumn({
        width: 104,
        cell: (family) =>
          refusal(family) === null && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              aria-label={t('familyTitle', { family: family.title })}
              onClick={() => onInvalidate(family)}
            >
              {tWord('invalidate')}
            </Button>
          ),
      }),
    ],
    [t, onOpen, onInvalidate, lastHour, ttlWords],
  );
};
