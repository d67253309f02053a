'use client';

import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { wireOf } from '@/components/patterns/history-queries';
import { type Period, timeSpanOf } from '@/components/patterns/ranges';
import { urlOf } from '@/lib/api-client';
import { metricContracts } from '@/lib/history/schema';

const FORMATS = ['csv', 'json'] as const;

/** Downloads the history of the period; the server writes the file. */
export const HistoryExport = ({ connection, period }: { connection: string; period: Period }) => {
  const t = useTranslations('hitRates.export');
  const hrefOf = (format: (typeof FORMATS)[number]) =>
    urlOf(metricContracts.export, { ...wireOf(timeSpanOf(period, Date.now())), format }, connection);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} aria-hidden />}>
          {t('title')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('what')}</Menu.Label>
        {FORMATS.map((format) => (
          <Menu.Item key={format} component="a" href={hrefOf(format)} download>
            {format.toUpperCase()}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
};
