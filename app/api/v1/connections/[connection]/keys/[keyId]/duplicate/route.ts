import { commandRoute } from '@/lib/http/routes';
import { duplicateKey } from '@/lib/keys/commands/move';

export const POST = commandRoute(duplicateKey);
