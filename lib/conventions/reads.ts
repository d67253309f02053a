import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { cursorAt, placeAt } from '@/lib/list-page';
import { iso } from '@/lib/time';
import { storedReport } from './check';
import type { ConventionsReport, conventionContracts } from './schema';
import { readCheck, readHistory } from './stored-check';

/** conventions.report */
export const readReport = async ({ store, connection, now }: ReadContext): Promise<ConventionsReport> =>
  storedReport(store, connection, await readCheck(store, connection.config.id), now());

/** conventions.history, newest first. */
export const listHistory = async (
  { store, connection }: ReadContext,
  { cursor, limit }: Input<typeof conventionContracts.history>,
): Promise<Result<typeof conventionContracts.history>> => {
  const before = cursor === undefined ? null : Number(placeAt(cursor, ['number'])[0]);
  const to = before === null ? '+' : Math.max(0, Math.floor(before) - 1);
  const rows = await readHistory(store, connection.config.id, { to, count: limit + 1 });
  const page = rows.slice(0, limit);
  return {
    items: page.map(({ at, score, counts }) => ({ at: iso(at), score, counts })),
    nextCursor: rows.length > limit ? cursorAt([page.at(-1)!.at]) : null,
  };
};
