import { auditContracts } from '@/lib/audit/schema';
import { verifyNow } from '@/lib/audit/watch';
import { readRoute } from '@/lib/http/routes';

export const POST = readRoute(auditContracts.verify, verifyNow);
