import { commandRoute } from '@/lib/http/routes';
import { createKey } from '@/lib/keys/commands/create';

export const POST = commandRoute(createKey);
