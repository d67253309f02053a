import 'server-only';
import { withoutFormula } from '@/lib/csv';
import type { Store } from '@/lib/redis/store';
import { type ListFilter, listAudit } from './list';
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

/** The matching entries, newest first, a page at a time. */
export async function* exportEntries(
  store: Store,
  filter: ListFilter,
  format: 'csv' | 'jsonl',
): AsyncGenerator<string> {
  if (format === 'csv') yield `${COLUMNS.join(',')}\r\n`;
  let cursor: string | undefined;
  do {
    const page = await listAudit(store, { ...filter, limit: PAGE, cursor });
    if (page.items.length > 0) yield page.items.map((entry) => `${line(entry, format)}\r\n`).join('');
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
