import 'server-only';
import { commandRoute, downloadRoute, readRoute } from '@/lib/http/routes';
import { startProfile } from '@/lib/profiler/commands';
import { estimateProfile } from '@/lib/profiler/estimate';
import { exportProfile } from '@/lib/profiler/export';
import { profileJob } from '@/lib/profiler/job';
import { profilerContracts } from '@/lib/profiler/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(profilerContracts.estimate, estimateProfile),
    commandRoute(startProfile),
    downloadRoute(profilerContracts.export, exportProfile),
  ],
  jobs: [profileJob],
};
