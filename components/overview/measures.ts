import type { Series } from '@/components/charts/series';

type Unit = 'ratio' | 'perSecond' | 'bytes' | 'ms';

interface Measure {
  domain: 'rate' | 'zero';
  unit: Unit;
  /** Fields of the samples, in the order of the palette. */
  fields: readonly {
    id:
      | 'hitRate'
      | 'opsPerSecond'
      | 'usedMemoryBytes'
      | 'latencyMs'
      | 'evictedPerSecond'
      | 'expiredPerSecond';
    color: Series['color'];
  }[];
}

/** What the chart can show. */
export const MEASURES = {
  hitRate: { domain: 'rate', unit: 'ratio', fields: [{ id: 'hitRate', color: 1 }] },
  operations: { domain: 'zero', unit: 'perSecond', fields: [{ id: 'opsPerSecond', color: 4 }] },
  memory: { domain: 'zero', unit: 'bytes', fields: [{ id: 'usedMemoryBytes', color: 2 }] },
  latency: { domain: 'zero', unit: 'ms', fields: [{ id: 'latencyMs', color: 5 }] },
  removals: {
    domain: 'zero',
    unit: 'perSecond',
    fields: [
      { id: 'evictedPerSecond', color: 3 },
      { id: 'expiredPerSecond', color: 1 },
    ],
  },
} as const satisfies Record<string, Measure>;

export type MeasureId = keyof typeof MEASURES;

export const MEASURE_IDS = Object.keys(MEASURES) as MeasureId[];

export const measureOf = (text: string): MeasureId => (text in MEASURES ? (text as MeasureId) : 'hitRate');
