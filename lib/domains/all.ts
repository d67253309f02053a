import 'server-only';
import type { Contract } from '@/lib/contract';
import { registerFigures } from '@/lib/figures/registry';
import { registerJob } from '@/lib/jobs/define';
import { registerScheduled } from '@/lib/jobs/schedule';
import { registerUndoable } from '@/lib/undo/registry';
import { accounts } from './accounts';
import { alerts } from './alerts';
import { analysis } from './analysis';
import { annotations } from './annotations';
import { audit } from './audit';
import { caches } from './caches';
import { catalogs } from './catalogs';
import { commandLine } from './command-line';
import { conventions } from './conventions';
import { diagnostics } from './diagnostics';
import type { Domain } from './domain';
import { entities } from './entities';
import { envVars } from './env-vars';
import { exposition } from './exposition';
import { flags } from './flags';
import { guard } from './guard';
import { history } from './history';
import { insights } from './insights';
import { jobs } from './jobs';
import { keys } from './keys';
import { live } from './live';
import { locks } from './locks';
import { metrics } from './metrics';
import { nodes } from './nodes';
import { profiler } from './profiler';
import { queues } from './queues';
import { server } from './server';
import { sessions } from './sessions';
import { views } from './views';
import { walk } from './walk';

/** All domains, in the order of the OpenAPI document. */
const DOMAINS: readonly Domain[] = [
  insights,
  history,
  exposition,
  walk,
  annotations,
  sessions,
  envVars,
  flags,
  guard,
  caches,
  catalogs,
  analysis,
  conventions,
  alerts,
  keys,
  entities,
  views,
  locks,
  queues,
  live,
  commandLine,
  metrics,
  nodes,
  server,
  diagnostics,
  profiler,
  jobs,
  audit,
  accounts,
];

export const allRoutes = DOMAINS.flatMap(({ routes }) => routes);

/** All operations, as /api/openapi.json lists them. */
export const allContracts: readonly Contract[] = allRoutes.map(({ contract }) => contract);

const commands = allRoutes.flatMap(({ command }) => command ?? []);

/** Registers the jobs, schedules, undoable commands and figures of all domains. */
export const registerDomains = (): void => {
  registerUndoable(commands.filter(({ undo }) => undo));
  for (const { jobs = [], scheduled = [], figures = [] } of DOMAINS) {
    registerFigures(figures);
    for (const job of jobs) registerJob(job);
    for (const work of scheduled) registerScheduled(work);
  }
};
