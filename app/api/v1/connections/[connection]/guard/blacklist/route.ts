import { listBlacklist } from '@/lib/guard/reads';
import { guardContracts } from '@/lib/guard/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(guardContracts.blacklistList, listBlacklist);
