import 'server-only';
import { annotateBans } from '@/lib/guard/annotate';
import { addToBlacklist, removeFromBlacklist } from '@/lib/guard/commands';
import { entryHistory } from '@/lib/guard/entry-history';
import { guardFigures } from '@/lib/guard/figures';
import { banEndings } from '@/lib/guard/lift';
import { blockProjects, unblockProjects } from '@/lib/guard/project-commands';
import { listBlacklist, listBlockedProjects } from '@/lib/guard/reads';
import { guardContracts } from '@/lib/guard/schema';
import { readGuardHistory } from '@/lib/guard/traffic/history';
import { topIps } from '@/lib/guard/traffic/reads';
import { trafficContracts } from '@/lib/guard/traffic/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { repairWindow, resetWindow } from '@/lib/rate-limits/commands';
import { currentLimits } from '@/lib/rate-limits/limits';
import { listWindows } from '@/lib/rate-limits/reads';
import { refusedEvents } from '@/lib/rate-limits/refused';
import { rateLimitContracts } from '@/lib/rate-limits/schema';
import { whatIf } from '@/lib/rate-limits/what-if';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(guardContracts.projectsList, async (ctx, filter) => {
      const { names } = await currentLimits(ctx.connection);
      return listBlockedProjects(ctx, filter, (id) => names(id).project);
    }),
    commandRoute(blockProjects),
    commandRoute(unblockProjects),
    readRoute(guardContracts.blacklistList, listBlacklist),
    readRoute(guardContracts.entryHistory, entryHistory),
    commandRoute(addToBlacklist),
    commandRoute(annotateBans),
    commandRoute(removeFromBlacklist),
    readRoute(rateLimitContracts.list, listWindows),
    readRoute(rateLimitContracts.whatIf, whatIf),
    readRoute(rateLimitContracts.refused, refusedEvents),
    commandRoute(resetWindow),
    commandRoute(repairWindow),
    readRoute(trafficContracts.ipsTop, topIps),
    readRoute(trafficContracts.history, readGuardHistory),
  ],
  scheduled: [banEndings],
  figures: [guardFigures],
};
