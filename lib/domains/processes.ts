import 'server-only';
import { readRoute } from '@/lib/http/routes';
import { listStates } from '@/lib/processes/reads';
import { processContracts } from '@/lib/processes/schema';
import type { Domain } from './domain';

export const domain: Domain = { routes: [readRoute(processContracts.list, listStates)] };
