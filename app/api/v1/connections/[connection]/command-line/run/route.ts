import { runLineCommand } from '@/lib/command-line/run';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(runLineCommand);
