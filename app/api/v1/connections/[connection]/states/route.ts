import { readRoute } from '@/lib/http/routes';
import { listStates } from '@/lib/processes/reads';
import { stateContracts } from '@/lib/processes/schema';

export const GET = readRoute(stateContracts.list, listStates);
