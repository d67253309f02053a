import { readPresenceHistory } from '@/lib/entities/presence/history';
import { presenceContracts } from '@/lib/entities/presence/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(presenceContracts.history, readPresenceHistory);
