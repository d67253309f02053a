import { downloadRoute } from '@/lib/http/routes';
import { exportProfile } from '@/lib/profiler/export';
import { profilerContracts } from '@/lib/profiler/schema';

export const GET = downloadRoute(profilerContracts.export, exportProfile);
