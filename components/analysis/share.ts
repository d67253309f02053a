import type { AnalysisReport } from '@/lib/analysis/schema';

/** How much of all memory a row has, 0–1; of all keys where memory is not known. */
export const shareOf = (
  report: Pick<AnalysisReport, 'keys' | 'memoryBytes'>,
  row: { keys: number; memoryBytes: number | null },
): number | null => {
  const [part, whole] =
    report.memoryBytes === null ? [row.keys, report.keys] : [row.memoryBytes, report.memoryBytes];
  return part === null || whole === 0 ? null : part / whole;
};
