import 'server-only';
import { withoutFormula } from '@/lib/csv';
import type { Store } from '@/lib/redis/store';
import { type AuditFilter, listEntries } from './reads';
import type { AuditEntry } from './schema';

const COLUMNS = [
  'id',
  'at',
  'actor',
  'role',
  'action',
  'connection',
  'target',
  'reason',
  'outcome',
  'detail',
  'undoneBy',
] as const;
const PAGE = 500;

/** Quotes a cell, and escapes one that a spreadsheet would run as a formula. */
const cell = (value: unknown): string => `"${withoutFormula(String(value ?? '')).replaceAll('"', '""')}"`;

const line = (entry: AuditEntry, format: 'csv' | 'jsonl'): string =>
  format === 'jsonl' ? JSON.stringify(entry) : COLUMNS.map((column) => cell(entry[column])).join(',');

/** Streams the matching entries, newest first, without holding all of them in memory. */
export const exportEntries = (
  store: Store,
  filter: AuditFilter,
  format: 'csv' | 'jsonl',
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  let cursor: string | undefined;
  let begun = false;
  return new ReadableStream({
    // A page may be empty, and a pull that enqueues nothing is not repeated: the reader would wait for ever.
    async pull(controller) {
      for (;;) {
        const page = await listEntries(store, { ...filter, limit: PAGE, cursor });
        const lines = page.items.map((entry) => line(entry, format));
        if (!begun && format === 'csv') lines.unshift(COLUMNS.join(','));
        begun = true;
        if (lines.length > 0) controller.enqueue(encoder.encode(`${lines.join('\r\n')}\r\n`));
        if (page.nextCursor === null) return controller.close();
        cursor = page.nextCursor;
        if (lines.length > 0) return;
      }
    },
  });
};
