import { commandRoute } from '@/lib/http/routes';
import { renameKey } from '@/lib/keys/commands/move';

export const POST = commandRoute(renameKey);
