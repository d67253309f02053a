'use client';

import { Stack, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { type Fact, Facts } from '@/components/patterns/facts';
import { Bytes, Count, Duration } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import { TextLink } from '@/components/patterns/text-link';
import { useFormat } from '@/components/patterns/use-format';
import { useLast } from '@/components/patterns/use-last';
import { useMay } from '@/components/patterns/viewer';
import type { AnalysisReport, FamilyAnalysis } from '@/lib/analysis/schema';
import classes from './analysis.module.css';
import { BiggestKeyName } from './biggest-key';
import { signedWith } from './growth';
import { shareOf } from './share';
import { Percentiles, Spread } from './spread';

interface FamilyDrawerProps {
  report: AnalysisReport | undefined;
  /** Its id; empty: closed. */
  family: string;
  onClose: () => void;
}

/** All that an analysis found of one family. */
export const FamilyDrawer = ({ report, family, onClose }: FamilyDrawerProps) => {
  const row = report?.families.find((each) => each.family === family) ?? null;
  // The drawer keeps its content while it closes.
  const shown = useLast(row);
  return (
    <Drawer opened={row !== null} onClose={onClose} inAddress width="editor" title={shown?.title ?? ''}>
      {shown && report && <OneFamily report={report} row={shown} />}
    </Drawer>
  );
};

const OneFamily = ({ report, row }: { report: AnalysisReport; row: FamilyAnalysis }) => {
  const t = useTranslations('analysis.drawer');
  const spread = useTranslations('analysis.spread');
  const { bytes, count, duration } = useFormat();
  const { id } = useConnection();
  const mayView = useMay('keys:view');
  const facts = useFacts(report, row);
  const { size, lengths, idle } = row;
  const parts = [
    { kind: 'size', title: spread('size'), header: spread('memory'), of: size, edge: bytes },
    { kind: 'bytes', title: t('bytes'), header: t('bytes'), of: lengths.bytes, edge: bytes },
    { kind: 'elements', title: t('elements'), header: t('elements'), of: lengths.elements, edge: count },
    { kind: 'idle', title: spread('idle'), header: spread('unused'), of: idle, edge: duration },
  ] as const;
  return (
    <Stack gap="md">
      <Facts facts={facts} />
      {mayView && row.keys > 0 && (
        <TextLink href={`/${id}/keys?family=${encodeURIComponent(row.family)}`}>{t('viewKeys')}</TextLink>
      )}
      <Part title={spread('ttl')}>
        <Spread
          label={t('ttlOf', { family: row.title })}
          name={`${row.family}-ttl`}
          header={spread('remaining')}
          bins={row.ttl.histogram}
          edge={duration}
          nothing={row.withoutTtl === null ? spread('noTtlRead') : t('noTtl')}
          height={140}
        />
      </Part>
      {parts.map(
        ({ kind, title, header, of, edge }) =>
          of && (
            <Part key={kind} title={title} note={<Percentiles of={of} edge={edge} />}>
              <Spread
                label={t(`${kind}Of`, { family: row.title })}
                name={`${row.family}-${kind}`}
                header={header}
                bins={of.histogram}
                edge={edge}
                nothing={spread('noKeys')}
                height={140}
              />
            </Part>
          ),
      )}
      {row.biggest.length > 0 && (
        <Part title={t('biggest')}>
          <ul className={classes.list}>
            {row.biggest.map((key) => (
              <li key={key.keyId}>
                <BiggestKeyName row={key} />
                <Bytes value={key.memoryBytes} />
              </li>
            ))}
          </ul>
        </Part>
      )}
    </Stack>
  );
};

const Part = ({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) => (
  <section>
    <Title order={3} size="h5">
      {title}
    </Title>
    {note && <Dimmed size="xs">{note}</Dimmed>}
    {children}
  </section>
);

const useFacts = (report: AnalysisReport, row: FamilyAnalysis): (Fact | null)[] => {
  const t = useTranslations('analysis.drawer');
  const column = useTranslations('analysis.families.column');
  const tAnalysis = useTranslations('analysis');
  const tWord = useTranslations('words');
  const format = useFormat();
  const counts = (of: Record<string, number>) =>
    Object.entries(of)
      .sort(([, a], [, b]) => b - a)
      .map(([name, keys]) => `${name} ${format.count(keys)}`)
      .join(', ') || '—';
  const grown = row.change && [
    signedWith(format.count)(row.change.keys),
    ...(row.change.memoryBytes === null ? [] : [signedWith(format.bytes)(row.change.memoryBytes)]),
  ];
  const { min, max } = row.ttl;
  return [
    { label: t('id'), value: <code>{row.family}</code> },
    { label: t('pattern'), value: <KeyText max={300}>{row.pattern}</KeyText> },
    { label: column('keys'), value: <Count value={row.keys} /> },
    { label: column('memory'), value: <Bytes value={row.memoryBytes} /> },
    { label: tWord('share'), value: format.ratio(shareOf(report, row)) },
    grown && { label: t('grown'), value: grown.join(' · ') },
    { label: tWord('withoutTtl'), value: <Count value={row.withoutTtl} /> },
    min === null
      ? null
      : {
          label: t('ttlRange'),
          value: (
            <>
              <Duration value={min} /> – <Duration value={max} />
            </>
          ),
        },
    { label: tAnalysis('tabs.types'), value: counts(row.types) },
    { label: t('encodings'), value: counts(row.encodings) },
  ];
};
