import { listKinds } from '@/lib/entities/reads';
import { entityContracts } from '@/lib/entities/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(entityContracts.kinds, listKinds);
