import type { AnalysisReport } from '@/lib/analysis/schema';
import type { ReportRow } from './growth';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** All keys without a family: the rest of the total, because the list has only the commonest prefixes. */
export const unclassifiedOf = ({ keys, memoryBytes, change, families }: AnalysisReport): ReportRow => ({
  keys: Math.max(0, keys - sum(families.map((row) => row.keys))),
  memoryBytes:
    memoryBytes === null ? null : Math.max(0, memoryBytes - sum(families.map((row) => row.memoryBytes ?? 0))),
  change: change && {
    keys: change.keys - sum(families.map((row) => row.change?.keys ?? 0)),
    memoryBytes:
      change.memoryBytes === null
        ? null
        : change.memoryBytes - sum(families.map((row) => row.change?.memoryBytes ?? 0)),
  },
});
