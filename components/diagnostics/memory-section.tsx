'use client';

import { useTranslations } from 'next-intl';
import { Bytes, Count, PerSecond, Rate } from '@/components/patterns/figures';
import { useFormat } from '@/components/patterns/use-format';
import type { Diagnostics, FamilyFigures } from '@/lib/diagnostics/schema';
import { UNKNOWN } from '@/lib/format';
import { FamilyTable } from './family-table';
import { SectionPanel } from './section-panel';

const MAX_FAMILIES = 8;

const byMemory = (families: readonly FamilyFigures[]): FamilyFigures[] =>
  families
    .filter(({ memoryBytes }) => memoryBytes !== null)
    .sort((a, b) => b.memoryBytes! - a.memoryBytes!)
    .slice(0, MAX_FAMILIES);

interface MemorySectionProps {
  memory: Diagnostics['memory'] | undefined;
  /** The families of the last census. */
  families: readonly FamilyFigures[];
}

/** What the memory consists of, and how near its limit is. */
export const MemorySection = ({ memory, families }: MemorySectionProps) => {
  const t = useTranslations('diagnostics');
  const tWord = useTranslations('words');
  const format = useFormat();
  const figures = memory?.figures;
  return (
    <SectionPanel
      name="memory"
      section={memory}
      findings={memory?.findings.map((finding) => t(`finding.memory.${finding}`)) ?? []}
      links={[
        { path: '/families', label: tWord('families') },
        { path: '/analysis', label: tWord('analysis') },
      ]}
      facts={[
        { label: t('memory.used'), value: <Bytes value={figures?.usedBytes} /> },
        { label: tWord('peak'), value: <Bytes value={figures?.peakBytes} /> },
        { label: t('memory.rss'), value: <Bytes value={figures?.rssBytes} /> },
        {
          label: tWord('fragmentation'),
          value: t('memory.fragmentationOf', {
            ratio: format.number(figures?.fragmentationRatio, 2),
            bytes: format.bytes(figures?.fragmentationBytes),
          }),
        },
        { label: t('memory.overhead'), value: <Bytes value={figures?.overheadBytes} /> },
        {
          label: t('memory.dataset'),
          value: (
            <>
              <Bytes value={figures?.datasetBytes} /> (<Rate value={figures?.datasetShare} />)
            </>
          ),
        },
        { label: t('memory.clients'), value: <Bytes value={figures?.clientBytes} /> },
        { label: tWord('memoryPerKey'), value: <Bytes value={figures?.bytesPerKey} /> },
        {
          label: tWord('limit'),
          value: figures?.maxMemoryBytes === 0 ? t('memory.none') : <Bytes value={figures?.maxMemoryBytes} />,
        },
        { label: tWord('policy'), value: <code>{figures?.policy ?? UNKNOWN}</code> },
        {
          label: t('memory.evicted'),
          value: (
            <>
              <Count value={figures?.evictedKeys} /> (<PerSecond value={figures?.evictedPerSecond} />)
            </>
          ),
        },
      ]}
    >
      <FamilyTable label={t('memory.families')} name="diagnostics-memory" rows={byMemory(families)} />
    </SectionPanel>
  );
};
