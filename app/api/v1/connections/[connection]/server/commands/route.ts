import { readRoute } from '@/lib/http/routes';
import { listCommands } from '@/lib/server/command-stats';
import { serverContracts } from '@/lib/server/schema';

export const GET = readRoute(serverContracts.commands, listCommands);
