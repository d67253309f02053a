import 'server-only';
import { setImmediate } from 'node:timers/promises';
import type { Store } from '@/lib/redis/store';
import { readSeriesWithBefore } from './reads';
import { type Point, point, type Span } from './schema';

const COLUMNS = Object.keys(point.shape) as (keyof Point)[];

/** Numbers and times need no quotes. Unknown values are empty. */
const line = (row: Point): string => COLUMNS.map((column) => row[column] ?? '').join(',');

/** Number of lines per part of a file. */
const PART = 500;

/** The points of a range as a file. The contract limits their number. */
export async function* exportSeries(
  store: Store,
  connection: string,
  range: Span,
  { format, now }: { format: 'csv' | 'json'; now: number },
): AsyncGenerator<string> {
  const { points, events, stepSeconds } = await readSeriesWithBefore(store, connection, range, {
    compare: false,
    now,
  });
  const [write, between] = format === 'csv' ? ([line, '\r\n'] as const) : ([JSON.stringify, ','] as const);
  const { from, to } = range;
  if (format === 'csv') yield `${COLUMNS.join(',')}\r\n`;
  else yield `${JSON.stringify({ from, to, stepSeconds, events }).slice(0, -1)},"points":[`;
  for (let at = 0; at < points.length; at += PART) {
    const part = points
      .slice(at, at + PART)
      .map((row) => write(row))
      .join(between);
    const isLast = at + PART >= points.length;
    yield isLast ? part : part + between;
    await setImmediate();
  }
  yield format === 'csv' ? '\r\n' : ']}\n';
}
