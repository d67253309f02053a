import { previewInvalidation } from '@/lib/caches/preview';
import { cacheContracts } from '@/lib/caches/schema';
import { readRoute } from '@/lib/http/routes';

export const POST = readRoute(cacheContracts.preview, previewInvalidation);
