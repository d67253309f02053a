import { createConsoleUser } from '@/lib/accounts/commands';
import { readUsers } from '@/lib/accounts/reads';
import { userContracts } from '@/lib/accounts/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(userContracts.list, readUsers);
export const POST = commandRoute(createConsoleUser);
