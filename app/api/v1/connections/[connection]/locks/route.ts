import { readRoute } from '@/lib/http/routes';
import { listLocks } from '@/lib/locks/reads';
import { lockContracts } from '@/lib/locks/schema';

export const GET = readRoute(lockContracts.list, listLocks);
