'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { ShortTable } from '@/components/data-table/short-table';
import { Dimmed } from '@/components/patterns/dimmed';
import { Count } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import { useFormat } from '@/components/patterns/use-format';
import type { Diagnostics, SlowEntry } from '@/lib/diagnostics/schema';
import { SectionPanel } from './section-panel';

const idOf = ({ id }: SlowEntry): string => id;
const micros = (value: number | null | undefined): number | null => (value == null ? null : value / 1000);
const patternsOf = ({ families }: SlowEntry): string => families.map(({ pattern }) => pattern).join(' ');

/** The slowest commands of late, without their arguments. */
export const SlowLogSection = ({ slowLog }: { slowLog: Diagnostics['slowLog'] }) => {
  const t = useTranslations('diagnostics');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { figures } = slowLog;
  const columns = useMemo(
    (): DataColumn<SlowEntry>[] => [
      {
        id: 'command',
        header: tWord('command'),
        width: 160,
        pinned: true,
        cell: (entry) => (
          <>
            <KeyText max={40}>{entry.command}</KeyText>{' '}
            {entry.families.map(({ family, pattern }) => (
              <KeyText key={family} max={60}>
                {pattern}
              </KeyText>
            ))}
          </>
        ),
        value: (entry) => `${entry.command} ${patternsOf(entry)}`.trim(),
      },
      {
        id: 'duration',
        header: tWord('duration'),
        width: 80,
        align: 'right',
        cell: ({ durationMicros }) => format.ms(micros(durationMicros)),
        value: ({ durationMicros }) => durationMicros,
      },
      timeColumn({ id: 'at', header: tWord('when'), width: 85 }),
      countColumn({
        id: 'arguments',
        header: t('slowLog.arguments'),
        width: 90,
      }),
      textColumn({
        id: 'client',
        header: t('slowLog.client'),
        width: 100,
        of: ({ client, own, node }) =>
          [client, own && t('own'), node !== null && `→ ${node}`].filter(Boolean).join(' '),
      }),
    ],
    [t, format, tWord],
  );
  const threshold = figures?.thresholdMicros;
  return (
    <SectionPanel
      name="slowLog"
      section={slowLog}
      findings={slowLog.findings.map((finding) =>
        t(`finding.slowLog.${finding}`, { count: figures?.lastHour ?? 0 }),
      )}
      facts={[
        { label: t('slowLog.length'), value: <Count value={figures?.length} /> },
        { label: t('slowLog.maxLength'), value: <Count value={figures?.maxLength} /> },
        {
          label: tWord('threshold'),
          value: threshold != null && threshold < 0 ? t('latency.off') : format.ms(micros(threshold)),
        },
        { label: t('slowLog.lastHour'), value: <Count value={figures?.lastHour} /> },
        { label: t('slowLog.slowest'), value: format.ms(micros(figures?.slowestMicros)) },
      ]}
    >
      {figures?.entries === null && <OnlyCounts />}
      <ShortTable
        label={tWord('slowCommands')}
        name="diagnostics-slow-log"
        columns={columns}
        rows={figures?.entries ?? []}
        rowId={idOf}
      />
    </SectionPanel>
  );
};

/** For roles that may not see entries and names. */
export const OnlyCounts = () => {
  const t = useTranslations('diagnostics');
  return (
    <Dimmed size="xs" mt="xs">
      {t('onlyCounts')}
    </Dimmed>
  );
};
