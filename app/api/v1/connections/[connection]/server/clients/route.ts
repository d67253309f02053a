import { readRoute } from '@/lib/http/routes';
import { listClients } from '@/lib/server/clients/list';
import { clientContracts } from '@/lib/server/clients/schema';

export const GET = readRoute(clientContracts.list, listClients);
