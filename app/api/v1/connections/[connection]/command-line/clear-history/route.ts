import { clearHistory } from '@/lib/command-line/history';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(clearHistory);
