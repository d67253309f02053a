'use client';

import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import type { Job } from '@/lib/jobs/schema';
import type { messages } from '@/messages/en';
import { useFormat } from './use-format';

type Known = keyof (typeof messages)['jobs']['result'];

export interface ResultFigure {
  name: string;
  label: string;
  value: string;
}

/** A job's result as figures in words; what is unknown or no figure is left out. */
export const useJobResult = (): ((job: Pick<Job, 'result'>) => ResultFigure[]) => {
  const t = useTranslations('jobs');
  const format = useFormat();
  return useCallback(
    ({ result }) =>
      Object.entries(result ?? {}).flatMap(([name, value]) => {
        if (typeof value !== 'number') return [];
        const id = name as Known;
        const label = t.has(`result.${id}`) ? t(`result.${id}`) : name;
        const shown = name.endsWith('Bytes') ? format.bytes(value) : format.count(value);
        return [{ name, label, value: shown }];
      }),
    [t, format],
  );
};
