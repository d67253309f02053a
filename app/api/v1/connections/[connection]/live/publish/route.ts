import { commandRoute } from '@/lib/http/routes';
import { publishMessage } from '@/lib/live/publish';

export const POST = commandRoute(publishMessage);
