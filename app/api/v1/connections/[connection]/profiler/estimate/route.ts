import { readRoute } from '@/lib/http/routes';
import { estimateProfile } from '@/lib/profiler/estimate';
import { profilerContracts } from '@/lib/profiler/schema';

export const GET = readRoute(profilerContracts.estimate, estimateProfile);
