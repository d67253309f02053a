import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { streamRoute } from '@/lib/http/stream';
import { listChannels } from '@/lib/live/channels';
import { readHistory } from '@/lib/live/history';
import { publishMessage, readAudience } from '@/lib/live/publish';
import { liveContracts } from '@/lib/live/schema';
import { tailMessages } from '@/lib/live/tail';
import type { Domain } from './domain';

export const live: Domain = {
  routes: [
    readRoute(liveContracts.channels, listChannels),
    streamRoute(liveContracts.tail, tailMessages),
    readRoute(liveContracts.history, readHistory),
    readRoute(liveContracts.audience, readAudience),
    commandRoute(publishMessage),
  ],
};
