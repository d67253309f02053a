import 'server-only';
import { registerChannelUses } from '@/lib/alerts/channel-uses';
import { registerCommands } from '@/lib/command/registry';
import type { Contract } from '@/lib/contract';
import { registerFigures } from '@/lib/figures/registry';
import { registerJob } from '@/lib/jobs/define';
import { registerScheduled } from '@/lib/jobs/schedule';
import { registerUndoable } from '@/lib/undo/registry';
import { alerts } from './alerts';
import { analysis } from './analysis';
import { annotations } from './annotations';
import { approvals } from './approvals';
import { audit } from './audit';
import { catalog } from './catalog';
import { channels } from './channels';
import { commandLine } from './command-line';
import { connections } from './connections';
import { conventions } from './conventions';
import { conversations } from './conversations';
import { diagnostics } from './diagnostics';
import type { Domain } from './domain';
import { entities } from './entities';
import { env } from './env';
import { exposition } from './exposition';
import { families } from './families';
import { flags } from './flags';
import { guard } from './guard';
import { history } from './history';
import { hitRates } from './hit-rates';
import { jobs } from './jobs';
import { keys } from './keys';
import { locks } from './locks';
import { metrics } from './metrics';
import { nodes } from './nodes';
import { notifications } from './notifications';
import { overview } from './overview';
import { presence } from './presence';
import { processes } from './processes';
import { profiler } from './profiler';
import { queues } from './queues';
import { savedViews } from './saved-views';
import { server } from './server';
import { sessions } from './sessions';
import { tokens } from './tokens';
import { users } from './users';
import { views } from './views';
import { walk } from './walk';

/** All domains, in the order of the OpenAPI document. */
const DOMAINS: readonly Domain[] = [
  overview,
  connections,
  history,
  exposition,
  walk,
  annotations,
  sessions,
  tokens,
  env,
  flags,
  approvals,
  guard,
  families,
  hitRates,
  catalog,
  analysis,
  conventions,
  alerts,
  keys,
  entities,
  conversations,
  presence,
  views,
  locks,
  processes,
  queues,
  channels,
  commandLine,
  metrics,
  nodes,
  server,
  diagnostics,
  profiler,
  savedViews,
  jobs,
  audit,
  notifications,
  users,
];

export const allRoutes = DOMAINS.flatMap(({ routes }) => routes);

/** All operations, as /api/openapi.json lists them. */
export const allContracts: readonly Contract[] = allRoutes.map(({ contract }) => contract);

const commands = allRoutes.flatMap(({ command }) => command ?? []);

/** Registers the jobs, schedules, commands, figures and uses of channels of all domains. */
export const registerDomains = (): void => {
  registerCommands(commands);
  registerUndoable(commands.filter(({ undo }) => undo));
  for (const { jobs = [], scheduled = [], figures = [], channelUses } of DOMAINS) {
    registerFigures(figures);
    if (channelUses) registerChannelUses(channelUses);
    for (const job of jobs) registerJob(job);
    for (const work of scheduled) registerScheduled(work);
  }
};
