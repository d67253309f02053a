import { readRoute } from '@/lib/http/routes';
import { listKeys } from '@/lib/keys/list';
import { keyContracts } from '@/lib/keys/schema';

export const GET = readRoute(keyContracts.list, listKeys);
