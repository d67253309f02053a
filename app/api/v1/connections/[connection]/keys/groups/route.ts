import { readRoute } from '@/lib/http/routes';
import { groupKeys } from '@/lib/keys/groups';
import { keyContracts } from '@/lib/keys/schema';

export const GET = readRoute(keyContracts.groups, groupKeys);
