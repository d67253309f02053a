import { createChannel } from '@/lib/alerts/channel-commands';
import { alertChannelContracts } from '@/lib/alerts/channels/schema';
import { listChannels } from '@/lib/alerts/reads';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(alertChannelContracts.list, listChannels);
export const POST = commandRoute(createChannel);
