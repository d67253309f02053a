import { createFlagCommand } from '@/lib/flags/commands';
import { listFlags } from '@/lib/flags/reads';
import { flagContracts } from '@/lib/flags/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(flagContracts.list, listFlags);
export const POST = commandRoute(createFlagCommand);
