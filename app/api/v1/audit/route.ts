import { listEntries } from '@/lib/audit/reads';
import { auditContracts } from '@/lib/audit/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(auditContracts.list, (ctx, filter) => listEntries(ctx.store, filter));
