import { exportEntries } from '@/lib/audit/export';
import { auditContracts } from '@/lib/audit/schema';
import { downloadRoute } from '@/lib/http/routes';

export const GET = downloadRoute(auditContracts.export, (ctx, { format, ...filter }) => ({
  body: exportEntries(ctx.store, filter, format),
  contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl',
  fileName: `keyward-audit.${format}`,
}));
