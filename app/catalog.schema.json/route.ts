import { catalogSchema } from '@/lib/catalog/own/definition';
import { documentRoute } from '@/lib/http/conditional';

export const GET = documentRoute(catalogSchema);
