import { readAccount } from '@/lib/accounts/reads';
import { accountContracts } from '@/lib/accounts/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(accountContracts.get, readAccount);
