import 'server-only';
import { checkConventionsCommand, conventionsJob } from '@/lib/conventions/check-job';
import { unwaive, waive } from '@/lib/conventions/commands';
import { conventionFigures } from '@/lib/conventions/figures';
import { fixCommand } from '@/lib/conventions/fix/commands';
import { fixJob } from '@/lib/conventions/fix/job';
import { listHistory, readReport } from '@/lib/conventions/reads';
import { conventionContracts } from '@/lib/conventions/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(conventionContracts.report, readReport),
    commandRoute(checkConventionsCommand),
    readRoute(conventionContracts.history, listHistory),
    commandRoute(fixCommand),
    commandRoute(waive),
    commandRoute(unwaive),
  ],
  jobs: [conventionsJob, fixJob],
  figures: [conventionFigures],
};
