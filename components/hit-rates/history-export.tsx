'use client';

import { IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { ExportMenu } from '@/components/patterns/export-menu';
import { wireOf } from '@/components/patterns/history-queries';
import { type Period, timeSpanOf } from '@/components/patterns/ranges';
import { urlOf } from '@/lib/api-client';
import { historyContracts } from '@/lib/history/schema';

/** Downloads the history of the period; the server writes the file. */
export const HistoryExport = ({ connection, period }: { connection: string; period: Period }) => {
  const t = useTranslations('hitRates.export');
  const tWord = useTranslations('words');
  return (
    <ExportMenu
      size="xs"
      leftSection={<IconDownload size={14} aria-hidden />}
      title={tWord('export')}
      what={t('what')}
      hrefOf={(format) =>
        urlOf(historyContracts.export, { ...wireOf(timeSpanOf(period, Date.now())), format }, connection)
      }
    />
  );
};
