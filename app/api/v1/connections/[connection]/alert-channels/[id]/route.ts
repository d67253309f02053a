import { deleteChannel, updateChannel } from '@/lib/alerts/channel-commands';
import { commandRoute } from '@/lib/http/routes';

export const PATCH = commandRoute(updateChannel);
export const DELETE = commandRoute(deleteChannel);
