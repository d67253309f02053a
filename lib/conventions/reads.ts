import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { cursorAt, indexAt } from '@/lib/list-page';
import { may } from '@/lib/permissions';
import { iso } from '@/lib/time';
import { storedReport } from './check';
import type { ConventionsReport, conventionContracts } from './schema';
import { withoutCallers } from './server-rules';
import { readCheck, readHistory } from './stored-check';

/** Rules about commands name clients, which only users who may see clients receive. */
const withoutClients = (report: ConventionsReport): ConventionsReport => ({
  ...report,
  rules: report.rules.map((rule) =>
    rule.id === 'forbidden-commands'
      ? {
          ...rule,
          sample: rule.sample.map((violation) => ({
            ...violation,
            detail: withoutCallers(violation.detail),
          })),
        }
      : rule,
  ),
});

/** conventions.report */
export const readReport = async ({
  store,
  connection,
  actor: { role },
  now,
}: ReadContext): Promise<ConventionsReport> => {
  const check = await readCheck(store, connection.config.id);
  const report = await storedReport(store, connection, check, now());
  return role !== null && may(role, 'live:view') ? report : withoutClients(report);
};

/** conventions.history, newest first. */
export const listHistory: ReadOf<typeof conventionContracts.history> = async (
  { store, connection },
  { cursor, limit },
) => {
  const before = cursor === undefined ? null : indexAt(cursor);
  const to = before === null ? '+' : Math.max(0, before - 1);
  const rows = await readHistory(store, connection.config.id, { to, count: limit + 1 });
  const page = rows.slice(0, limit);
  return {
    items: page.map(({ at, score, counts }) => ({ at: iso(at), score, counts })),
    nextCursor: rows.length > limit ? cursorAt([page.at(-1)!.at]) : null,
  };
};
