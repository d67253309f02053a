import { createChannel } from '@/lib/alerts/channel-commands';
import { listChannels } from '@/lib/alerts/reads';
import { alertChannelContracts } from '@/lib/alerts/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(alertChannelContracts.list, listChannels);
export const POST = commandRoute(createChannel);
