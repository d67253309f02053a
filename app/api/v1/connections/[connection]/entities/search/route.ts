import { entityContracts } from '@/lib/entities/schema';
import { searchEntities } from '@/lib/entities/search';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(entityContracts.search, searchEntities);
