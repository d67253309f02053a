import { silenceAlert, unsilenceAlert } from '@/lib/alerts/silence-commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(silenceAlert);
export const DELETE = commandRoute(unsilenceAlert);
