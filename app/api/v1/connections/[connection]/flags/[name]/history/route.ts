import { flagHistory } from '@/lib/flags/history';
import { flagContracts } from '@/lib/flags/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(flagContracts.history, flagHistory);
