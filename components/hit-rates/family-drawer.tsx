'use client';

import { Divider, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { Count, PerSecond } from '@/components/patterns/figures';
import { HitRateSource } from '@/components/patterns/hit-rate-source';
import { useLast } from '@/components/patterns/use-last';
import { FamilyTtl } from './family-ttl';
import { RateCell, useWindowWords } from './rate-cell';
import type { RateRow } from './rows';

interface FamilyDrawerProps {
  row: RateRow | null;
  instance: number | null;
  stepSeconds: number | null;
  opened: boolean;
  onClose: () => void;
}

/** One family: what its rate rests on, and how long its keys live. */
export const FamilyDrawer = ({ row: chosen, instance, stepSeconds, opened, onClose }: FamilyDrawerProps) => {
  const t = useTranslations('hitRates');
  const windowOf = useWindowWords();
  const row = useLast(chosen);
  if (!row) return null;
  return (
    <Drawer
      opened={opened && chosen !== null}
      onClose={onClose}
      inAddress
      size={520}
      title={row.title}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack gap="md">
        <Facts
          facts={[
            { label: t('column.hitRate'), value: <RateCell row={row} instance={instance} /> },
            {
              label: t('column.source'),
              value: (
                <HitRateSource
                  source={row.source}
                  coverage={row.coverage}
                  error={row.error}
                  window={windowOf(row, stepSeconds)}
                />
              ),
            },
            { label: t('column.n'), value: <Count value={row.source === 'none' ? null : row.n} /> },
            { label: t('column.misses'), value: <PerSecond value={row.missesPerSecond} /> },
            { label: t('column.originLoad'), value: <PerSecond value={row.originLoadPerSecond} /> },
          ]}
        />
        <Divider />
        {row.family !== 'unclassified' && <FamilyTtl family={row.family} />}
      </Stack>
    </Drawer>
  );
};
