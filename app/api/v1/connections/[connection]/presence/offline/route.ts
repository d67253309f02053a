import { setOfflineCommand } from '@/lib/entities/presence/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(setOfflineCommand);
