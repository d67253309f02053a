import { testChannel } from '@/lib/alerts/channel-commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(testChannel);
