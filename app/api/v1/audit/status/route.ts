import { auditContracts } from '@/lib/audit/schema';
import { auditStatus } from '@/lib/audit/watch';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(auditContracts.status, (ctx) => auditStatus(ctx.store));
