'use client';

import { useFormat } from './use-format';

/** A duration in microseconds: "850 µs", "12 ms"; unknown is "—". */
export const useMicros = (): ((micros: number | null | undefined) => string) => useFormat().micros;
