import 'server-only';
import { exportEntries } from '@/lib/audit/export';
import { listAudit } from '@/lib/audit/list';
import { auditContracts } from '@/lib/audit/schema';
import { auditStatus, verifyNow } from '@/lib/audit/watch';
import { commandRoute, downloadRoute, readRoute } from '@/lib/http/routes';
import { undoChange } from '@/lib/undo/commands';
import type { Domain } from './domain';
import { withTargetNames } from './target-names';

export const domain: Domain = {
  routes: [
    readRoute(auditContracts.list, async (ctx, filter) =>
      withTargetNames(await listAudit(ctx.store, filter)),
    ),
    downloadRoute(auditContracts.export, (ctx, { format, ...filter }) => ({
      body: exportEntries(ctx.store, filter, format),
      contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl',
      fileName: `keyward-audit.${format}`,
    })),
    readRoute(auditContracts.verify, verifyNow),
    readRoute(auditContracts.status, (ctx) => auditStatus(ctx.store)),
    commandRoute(undoChange),
  ],
};
