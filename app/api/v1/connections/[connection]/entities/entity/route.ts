import { getEntity } from '@/lib/entities/get';
import { entityContracts } from '@/lib/entities/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(entityContracts.get, getEntity);
