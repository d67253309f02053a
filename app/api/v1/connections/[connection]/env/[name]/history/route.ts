import { variableHistory } from '@/lib/env-vars/history';
import { envContracts } from '@/lib/env-vars/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(envContracts.history, variableHistory);
