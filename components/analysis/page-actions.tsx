'use client';

import { Button } from '@mantine/core';
import { IconCalendarClock, IconDownload, IconPlayerPlay } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { ExportMenu } from '@/components/patterns/export-menu';
import { onDemand } from '@/components/patterns/on-demand';
import { useNarrow } from '@/components/patterns/use-narrow';
import { useMay } from '@/components/patterns/viewer';
import { type AnalysisReport, analysisContracts } from '@/lib/analysis/schema';
import { urlOf } from '@/lib/api-client';

const AnalyseDrawer = onDemand(async () => (await import('./analyse-drawer')).AnalyseDrawer);
const ScheduleDrawer = onDemand(async () => (await import('./schedule-drawer')).ScheduleDrawer);

interface PageActionsProps {
  /** The one that is shown. */
  report: AnalysisReport | undefined;
  /** The id of the report it is compared with; empty: none. */
  since: string;
  /** An analysis is running. */
  busy: boolean;
  onJob: (jobId: string) => void;
}

/** Run an analysis, schedule them, and export the report. */
export const PageActions = ({ report, since, busy, onJob }: PageActionsProps) => {
  const t = useTranslations('analysis');
  const mayRun = useMay('analysis:run');
  const look = useLook();
  const [open, setOpen] = useState<'analyse' | 'schedule' | null>(null);
  return (
    <>
      <ReportExport id={report?.id ?? null} since={since} />
      {mayRun && (
        <>
          <Button variant="default" {...look(IconCalendarClock)} onClick={() => setOpen('schedule')}>
            {t('schedule.open')}
          </Button>
          <Button {...look(IconPlayerPlay)} disabled={busy} onClick={() => setOpen('analyse')}>
            {t('analyse.open')}
          </Button>
          <AnalyseDrawer opened={open === 'analyse'} onClose={() => setOpen(null)} onJob={onJob} />
          <ScheduleDrawer opened={open === 'schedule'} onClose={() => setOpen(null)} />
        </>
      )}
    </>
  );
};

/** On a phone the buttons have no icons: all of them fit in one line. */
const useLook = () => {
  const isNarrow = useNarrow();
  return (Icon: typeof IconDownload) =>
    isNarrow ? { px: 'sm' } : { leftSection: <Icon size={16} aria-hidden /> };
};

/** Downloads the complete report; the server writes the file. */
const ReportExport = ({ id, since }: { id: string | null; since: string }) => {
  const t = useTranslations('analysis.export');
  const tWord = useTranslations('words');
  const { id: connection } = useConnection();
  const look = useLook();
  return (
    <ExportMenu
      disabled={id === null}
      {...look(IconDownload)}
      title={tWord('export')}
      what={t('what')}
      hrefOf={(format) =>
        id === null ? '' : urlOf(analysisContracts.export, { id, format, since }, connection)
      }
    />
  );
};
