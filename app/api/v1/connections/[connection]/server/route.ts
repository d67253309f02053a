import { readRoute } from '@/lib/http/routes';
import { serverContracts } from '@/lib/server/schema';
import { getServer } from '@/lib/server/server';

export const GET = readRoute(serverContracts.get, getServer);
