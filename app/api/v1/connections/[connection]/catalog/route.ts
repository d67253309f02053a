import { getCatalog } from '@/lib/catalogs/reads';
import { catalogContracts } from '@/lib/catalogs/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(catalogContracts.get, getCatalog);
