import { readRoute } from '@/lib/http/routes';
import { readHistory } from '@/lib/live/history';
import { liveContracts } from '@/lib/live/schema';

export const GET = readRoute(liveContracts.history, readHistory);
