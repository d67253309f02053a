import { fixCommand } from '@/lib/conventions/fix/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(fixCommand);
