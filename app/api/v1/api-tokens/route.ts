import { createToken } from '@/lib/accounts/commands';
import { readApiTokens } from '@/lib/accounts/reads';
import { apiTokenContracts } from '@/lib/accounts/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(apiTokenContracts.list, readApiTokens);
export const POST = commandRoute(createToken);
