import 'server-only';
import { registerChannelUses } from '@/lib/alerts/channel-uses';
import { registerCommands } from '@/lib/command/registry';
import type { Contract } from '@/lib/contract';
import { registerFigures } from '@/lib/figures/registry';
import { registerJob } from '@/lib/jobs/define';
import { registerScheduled } from '@/lib/jobs/schedule';
import { registerUndoable } from '@/lib/undo/registry';
import type { Domain } from './domain';

/** All domains: the files of this folder that declare one, by their names. */
const DOMAINS = Object.values(
  // With `import: 'domain'` Turbopack (Next 16.4) finds nothing: it shortens the names of exports.
  import.meta.glob<{ domain: Domain }>(
    ['./*.ts', '!./all.ts', '!./domain.ts', '!./interface.ts', '!./target-names.ts', '!./*.test.ts'],
    { eager: true },
  ),
).map(({ domain }) => domain);

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
