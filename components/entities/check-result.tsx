'use client';

import { Alert, Badge, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, keyLinkColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { TablePanel } from '@/components/data-table/table-panel';
import { CountFigures } from '@/components/patterns/count-figures';
import { SmallNote } from '@/components/patterns/dimmed';
import { EntityLink } from '@/components/patterns/entity-link';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import type { CheckResult, EntityKindRow } from '@/lib/entities/schema';

const FIGURES = ['checked', 'references', 'dangling', 'oneSided', 'partial', 'wrongType'] as const;

type FamilyRow = CheckResult['families'][number];
type Sample = CheckResult['samples'][number] & { number: number };

const ProblemBadge = ({ problem }: Pick<Sample, 'problem'>) => {
  const t = useTranslations('entities.result.problem');
  return <Badge color="orange">{t(problem)}</Badge>;
};

export const SAMPLE_COLUMNS = declareColumns<Sample>('entities.result.column', [
  {
    id: 'problem',
    width: 120,
    cell: (sample) => <ProblemBadge problem={sample.problem} />,
  },
  {
    id: 'entity',
    width: 160,
    pinned: true,
    cell: ({ entity }) => (entity ? <EntityLink of={entity} /> : '—'),
    value: ({ entity }) => entity?.id ?? null,
  },
  keyLinkColumn({ width: 220, pinned: false }),
  {
    id: 'member',
    width: 140,
    cell: ({ member }) => (member === null ? '—' : <KeyText max={80}>{member}</KeyText>),
  },
  textColumn<Sample>({ id: 'detail', width: 220, max: 200 }),
]);

interface CheckResultProps {
  result: CheckResult;
  kinds: readonly EntityKindRow[];
  running: boolean;
}

/** What a check found: counts, per family, and samples. */
export const CheckResultView = ({ result, kinds, running }: CheckResultProps) => {
  const t = useTranslations('entities.result');
  const tWord = useTranslations('words');
  const damage = result.dangling + result.oneSided + result.partial + result.wrongType;
  const rows = useMemo(
    () => result.samples.map((sample, place): Sample => ({ ...sample, number: place + 1 })),
    [result.samples],
  );
  const samples = useDeclaredColumns(SAMPLE_COLUMNS);
  return (
    <Stack gap="md">
      <Panel title={tWord('result')}>
        <CountFigures
          figures={FIGURES.map((name) => ({ label: t(`figure.${name}`), value: result[name] }))}
        />
        {result.oneSided > 0 && (
          <Text size="sm" mt="xs">
            {t('notStored', { count: result.oneSided, lost: result.oneSidedNotStored })}
          </Text>
        )}
        {damage === 0 && !running && (
          <Text size="sm" mt="xs">
            {t('intact')}
          </Text>
        )}
        {!result.complete && !running && (
          <Alert color="orange" mt="sm">
            {t('incomplete')}
          </Alert>
        )}
      </Panel>
      <FamilyTable families={result.families} kinds={kinds} />
      <TablePanel
        title={tWord('samples')}
        note={rows.length > 0 && t('samplesNote', { count: rows.length })}
        name="check-samples"
        columns={samples}
        rows={rows}
        rowId={({ number }) => String(number)}
        nothing={t('noSamples')}
      />
    </Stack>
  );
};

const FamilyTable = ({ families, kinds }: { families: FamilyRow[]; kinds: readonly EntityKindRow[] }) => {
  const t = useTranslations('entities.result');
  const tWord = useTranslations('words');
  const columns = useMemo((): DataColumn<FamilyRow>[] => {
    const titles = new Map(
      kinds.flatMap(({ relations }) =>
        relations.flatMap(({ title, families: held }) => held.map((family) => [family, title] as const)),
      ),
    );
    return [
      {
        id: 'family',
        header: tWord('family'),
        width: 220,
        pinned: true,
        cell: ({ family }) => (
          <>
            <HostileText max={80}>{titles.get(family) ?? family}</HostileText>{' '}
            {titles.has(family) && <SmallNote>{family}</SmallNote>}
          </>
        ),
      },
      ...FIGURES.map((name) =>
        countColumn<FamilyRow>({ id: name, header: t(`figure.${name}`), width: 100, of: (row) => row[name] }),
      ),
    ];
  }, [t, kinds, tWord]);
  return (
    <TablePanel
      title={t('families')}
      name="check-families"
      columns={columns}
      rows={families}
      rowId={({ family }) => family}
      nothing={t('noFamilies')}
    />
  );
};
