import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { streamRoute } from '@/lib/http/stream';
import { repairJob, repairSessions } from '@/lib/sessions/repair/commands';
import { revocationJob, revokeSessions } from '@/lib/sessions/revocation/commands';
import { sessionContracts } from '@/lib/sessions/schema';
import { listSessions, searchSessions } from '@/lib/sessions/search';
import { readStats } from '@/lib/sessions/stats';
import { sessionUserContracts } from '@/lib/sessions/user/schema';
import { readUser } from '@/lib/sessions/user/user';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(sessionContracts.list, listSessions),
    streamRoute(sessionContracts.search, searchSessions),
    readRoute(sessionContracts.stats, readStats),
    readRoute(sessionUserContracts.user, readUser),
    commandRoute(revokeSessions),
    commandRoute(repairSessions),
  ],
  jobs: [revocationJob, repairJob],
};
