'use client';

import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { analysisContracts } from '@/lib/analysis/schema';
import type { Job } from '@/lib/jobs/schema';
import type { messages } from '@/messages/en';
import { useFormat } from './use-format';

type Known = keyof (typeof messages)['jobs']['result'];
type Result = Record<string, unknown>;

interface ResultFigure {
  name: string;
  label: string;
  value: string;
}

const isRecord = (value: unknown): value is Result =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sumOf = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => (typeof value === 'number' ? sum + value : sum), 0);

/** The sum of counts by kind (`repaired`), or of rows with a count each (`stillValid`); null for anything else. */
const totalOf = (value: unknown): number | null => {
  if (Array.isArray(value)) return sumOf(value.map((line) => (isRecord(line) ? line.count : 0)));
  return isRecord(value) ? sumOf(Object.values(value)) : null;
};

const SUMMED = new Set(['repaired', 'stillValid', 'notAttributed']);

/** A job's result as labelled values. Fields that are not counts are omitted. */
export const useJobResult = (): ((job: Pick<Job, 'result' | 'action'>) => ResultFigure[]) => {
  const t = useTranslations('jobs');
  const format = useFormat();
  return useCallback(
    (job) => {
      const result = job.result ?? {};
      // An analysis frees no memory: its bytes are a measurement.
      const isAnalysis = job.action === analysisContracts.start.id;
      const labelled = (name: string, value: string): ResultFigure => {
        const id = (isAnalysis && name === 'memoryBytes' ? 'measuredBytes' : name) as Known;
        return { name, label: t.has(`result.${id}`) ? t(`result.${id}`) : name, value };
      };
      const formatted = (name: string, value: number): string => {
        if (name.endsWith('Bytes')) return format.bytes(value);
        if (name.endsWith('Seconds')) return format.ms(value * 1000);
        return name === 'coverage' || name === 'observedShare' ? format.ratio(value) : format.count(value);
      };
      const count = (name: string, value: number) => labelled(name, formatted(name, value));
      return Object.entries(result).flatMap(([name, value]): ResultFigure[] => {
        if (typeof value === 'number') return [count(name, value)];
        if (name === 'dryRun' && value === true) return [labelled(name, t('nothingChanged'))];
        if (name === 'before' && isRecord(value))
          return kindsOf(result).map(([kind, text]) => labelled(kind, text));
        if (name === 'alsoRevoked' && isRecord(value))
          return Object.entries(value).map(([kind, number]) => count(`${name}-${kind}`, Number(number)));
        const total = SUMMED.has(name) ? totalOf(value) : null;
        return total === null || (name === 'repaired' && result.dryRun === true) ? [] : [count(name, total)];
      });

      /** Counts by kind, before and after the job. */
      function kindsOf({ before, after, dryRun }: Result): [string, string][] {
        return Object.entries(isRecord(before) ? before : {}).map(([kind, number]) => {
          const was = format.count(Number(number));
          const is = isRecord(after) && dryRun !== true ? after[kind] : undefined;
          if (is === undefined || number === 0) return [kind, was];
          return [kind, t('beforeAfter', { before: was, after: format.count(Number(is)) })];
        });
      }
    },
    [t, format],
  );
};
