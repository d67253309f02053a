import { readRelation } from '@/lib/entities/relation';
import { entityContracts } from '@/lib/entities/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(entityContracts.relation, readRelation);
