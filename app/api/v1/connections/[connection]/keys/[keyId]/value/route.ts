import { commandRoute } from '@/lib/http/routes';
import { updateKey } from '@/lib/keys/commands/update';

export const POST = commandRoute(updateKey);
