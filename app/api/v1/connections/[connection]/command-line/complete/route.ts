import { completeLine } from '@/lib/command-line/complete';
import { commandLineContracts } from '@/lib/command-line/schema';
import { readRoute } from '@/lib/http/routes';

export const POST = readRoute(commandLineContracts.complete, completeLine);
