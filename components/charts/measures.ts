import type { Series } from './series';

type Unit = 'ratio' | 'count' | 'perSecond' | 'bytes' | 'bytesPerSecond' | 'ms';

/** The fields of a point of the history. */
export const HISTORY_FIELDS = [
  'hitRate',
  'hits',
  'misses',
  'opsPerSecond',
  'usedMemoryBytes',
  'latencyMs',
  'evictedPerSecond',
  'expiredPerSecond',
  'connectedClients',
  'netInBytesPerSecond',
  'netOutBytesPerSecond',
] as const;
export type HistoryField = (typeof HISTORY_FIELDS)[number];

interface Measure {
  unit: Unit;
  fields: readonly { id: HistoryField; color: Series['color'] }[];
}

/** The measures a chart can show, each with its lines. */
export const MEASURES = {
  hitRate: { unit: 'ratio', fields: [{ id: 'hitRate', color: 1 }] },
  lookups: {
    unit: 'count',
    fields: [
      { id: 'hits', color: 4 },
      { id: 'misses', color: 3 },
    ],
  },
  operations: { unit: 'perSecond', fields: [{ id: 'opsPerSecond', color: 4 }] },
  memory: { unit: 'bytes', fields: [{ id: 'usedMemoryBytes', color: 2 }] },
  latency: { unit: 'ms', fields: [{ id: 'latencyMs', color: 5 }] },
  removals: {
    unit: 'perSecond',
    fields: [
      { id: 'evictedPerSecond', color: 3 },
      { id: 'expiredPerSecond', color: 1 },
    ],
  },
  clients: { unit: 'count', fields: [{ id: 'connectedClients', color: 2 }] },
  network: {
    unit: 'bytesPerSecond',
    fields: [
      { id: 'netInBytesPerSecond', color: 1 },
      { id: 'netOutBytesPerSecond', color: 3 },
    ],
  },
} as const satisfies Record<string, Measure>;

export type MeasureId = keyof typeof MEASURES;

export const MEASURE_IDS = Object.keys(MEASURES) as MeasureId[];

export const measureOf = (text: string): MeasureId => (text in MEASURES ? (text as MeasureId) : 'hitRate');
