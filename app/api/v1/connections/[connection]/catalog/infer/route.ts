import { inferCatalog } from '@/lib/catalogs/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(inferCatalog);
