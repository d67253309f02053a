import 'server-only';
import { listChannels } from '@/lib/channels/channels';
import { readHistory } from '@/lib/channels/history';
import { publishMessage, readAudience } from '@/lib/channels/publish';
import { revealMessage } from '@/lib/channels/reveal';
import { channelContracts } from '@/lib/channels/schema';
import { tailMessages } from '@/lib/channels/tail';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { streamRoute } from '@/lib/http/stream';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(channelContracts.list, listChannels),
    streamRoute(channelContracts.tail, tailMessages),
    readRoute(channelContracts.history, readHistory),
    readRoute(channelContracts.audience, readAudience),
    commandRoute(revealMessage),
    commandRoute(publishMessage),
  ],
};
