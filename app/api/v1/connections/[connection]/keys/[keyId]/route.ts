import { readRoute } from '@/lib/http/routes';
import { getKey } from '@/lib/keys/get';
import { keyContracts } from '@/lib/keys/schema';

export const GET = readRoute(keyContracts.get, getKey);
