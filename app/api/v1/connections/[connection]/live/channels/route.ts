import { readRoute } from '@/lib/http/routes';
import { listChannels } from '@/lib/live/channels';
import { liveContracts } from '@/lib/live/schema';

export const GET = readRoute(liveContracts.channels, listChannels);
