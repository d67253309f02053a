import { commandRoute } from '@/lib/http/routes';
import { killClient } from '@/lib/server/clients/kill';

export const POST = commandRoute(killClient);
