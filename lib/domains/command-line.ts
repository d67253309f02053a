import 'server-only';
import { completeLine } from '@/lib/command-line/complete';
import { clearHistory, listHistory } from '@/lib/command-line/history';
import { runLineCommand } from '@/lib/command-line/run';
import { commandLineContracts } from '@/lib/command-line/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    commandRoute(runLineCommand),
    readRoute(commandLineContracts.complete, completeLine),
    readRoute(commandLineContracts.history, listHistory),
    commandRoute(clearHistory),
  ],
};
