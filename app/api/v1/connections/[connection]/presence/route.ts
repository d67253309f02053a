import { readPresence } from '@/lib/entities/presence/reads';
import { presenceContracts } from '@/lib/entities/presence/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(presenceContracts.get, readPresence);
