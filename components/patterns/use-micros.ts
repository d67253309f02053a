'use client';

import { useCallback } from 'react';
import { useFormat } from './use-format';

const MILLISECOND = 1000;

/** A duration in microseconds: "850 µs", "12 ms"; unknown is "—". */
export const useMicros = (): ((micros: number | null | undefined) => string) => {
  const format = useFormat();
  return useCallback(
    (micros) =>
      micros != null && micros < MILLISECOND
        ? `${format.number(micros)} µs`
        : format.ms(micros == null ? null : micros / MILLISECOND),
    [format],
  );
};
