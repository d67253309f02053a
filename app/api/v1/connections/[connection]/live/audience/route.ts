import { readRoute } from '@/lib/http/routes';
import { readAudience } from '@/lib/live/publish';
import { liveContracts } from '@/lib/live/schema';

export const POST = readRoute(liveContracts.audience, readAudience);
