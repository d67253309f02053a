import { auditContracts } from '@/lib/audit/schema';
import { verifyChain } from '@/lib/audit/verify';
import { readRoute } from '@/lib/http/routes';

export const POST = readRoute(auditContracts.verify, (ctx) => verifyChain(ctx.store));
