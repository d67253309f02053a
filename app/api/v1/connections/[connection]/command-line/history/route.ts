import { listHistory } from '@/lib/command-line/history';
import { commandLineContracts } from '@/lib/command-line/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(commandLineContracts.history, listHistory);
