import 'server-only';
import type { Store } from '@/lib/redis/store';
import { readSeriesWithBefore, type WireRange } from './reads';
import { type Point, point } from './schema';

const COLUMNS = Object.keys(point.shape) as (keyof Point)[];

/** Numbers and times need no quotes. Unknown values are empty. */
const line = (row: Point): string => COLUMNS.map((column) => row[column] ?? '').join(',');

/** The points of a range as a file. The contract limits their number. */
export const exportSeries = (
  store: Store,
  connection: string,
  range: WireRange,
  { format, now }: { format: 'csv' | 'json'; now: number },
): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async start(controller) {
      const { points, events, stepSeconds } = await readSeriesWithBefore(store, connection, range, {
        compare: false,
        now,
      });
      const text =
        format === 'csv'
          ? `${[COLUMNS.join(','), ...points.map(line)].join('\r\n')}\r\n`
          : `${JSON.stringify({ from: range.from, to: range.to, stepSeconds, points, events })}\n`;
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
