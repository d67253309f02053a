import { familyTtlContract } from '@/lib/caches/hit-rates/schema';
import { readFamilyTtl } from '@/lib/caches/hit-rates/ttl';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(familyTtlContract, readFamilyTtl);
