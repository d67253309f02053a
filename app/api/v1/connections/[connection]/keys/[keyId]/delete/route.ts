import { commandRoute } from '@/lib/http/routes';
import { deleteKeyCommand } from '@/lib/keys/commands/delete';

export const POST = commandRoute(deleteKeyCommand);
