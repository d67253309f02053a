import { setUp } from '@/lib/accounts/first-admin';
import { accountContracts } from '@/lib/accounts/schema';
import { publicRoute } from '@/lib/http/routes';

export const POST = publicRoute(accountContracts.setup, setUp);
