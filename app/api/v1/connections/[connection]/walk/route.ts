import { readRoute } from '@/lib/http/routes';
import { readWalks } from '@/lib/walk/costs';
import { walkContracts } from '@/lib/walk/schema';

export const GET = readRoute(walkContracts.get, readWalks);
