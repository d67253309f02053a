import 'server-only';
import { accountContracts, apiTokenContracts, userContracts } from '@/lib/accounts/schema';
import { deleteChannel, updateChannel } from '@/lib/alerts/channel-commands';
import { alertChannelContracts } from '@/lib/alerts/channels/schema';
import { createAlert, deleteAlert, updateAlert } from '@/lib/alerts/commands';
import { alertContracts } from '@/lib/alerts/schema';
import { silenceAlert, unsilenceAlert } from '@/lib/alerts/silence-commands';
import { analysisJob } from '@/lib/analysis/job';
import { analysisContracts } from '@/lib/analysis/schema';
import { createAnnotation } from '@/lib/annotations/commands';
import { annotationContracts } from '@/lib/annotations/schema';
import { auditContracts, undoContract } from '@/lib/audit/schema';
import { invalidate, setTtl } from '@/lib/caches/commands';
import { cacheFigures } from '@/lib/caches/figures';
import { sampleJob } from '@/lib/caches/hit-rates/job';
import { hitRateGroup } from '@/lib/caches/hit-rates/schema';
import { invalidationJob } from '@/lib/caches/invalidation-job';
import { restorationJob } from '@/lib/caches/restore-job';
import { cacheContracts } from '@/lib/caches/schema';
import { ttlJob } from '@/lib/caches/ttl-job';
import { capabilityContracts } from '@/lib/capabilities/schema';
import { inferJob } from '@/lib/catalogs/infer-job';
import { catalogContracts } from '@/lib/catalogs/schema';
import type { AnyCommand } from '@/lib/command/define';
import { runLineCommand } from '@/lib/command-line/run';
import { commandLineContracts } from '@/lib/command-line/schema';
import type { Contract } from '@/lib/contract';
import { conventionsJob } from '@/lib/conventions/check-job';
import { unwaive, waive } from '@/lib/conventions/commands';
import { conventionFigures } from '@/lib/conventions/figures';
import { fixCommand } from '@/lib/conventions/fix/commands';
import { fixJob } from '@/lib/conventions/fix/job';
import { conventionContracts } from '@/lib/conventions/schema';
import { counterContracts } from '@/lib/counters/schema';
import { diagnosticContracts } from '@/lib/diagnostics/schema';
import { checkJob } from '@/lib/entities/check-job';
import { deleteMessageCommand } from '@/lib/entities/conversation/deletion/delete-message';
import { setOfflineCommand } from '@/lib/entities/presence/commands';
import { presenceFigures } from '@/lib/entities/presence/figures';
import { presenceContracts } from '@/lib/entities/presence/schema';
import { entityContracts } from '@/lib/entities/schema';
import {
  createVariableCommand,
  deleteVariableCommand,
  renameVariableCommand,
  setVariableCommand,
} from '@/lib/env-vars/commands';
import { importVariablesCommand } from '@/lib/env-vars/import';
import { restoreVariablesCommand } from '@/lib/env-vars/restore';
import { envContracts } from '@/lib/env-vars/schema';
import { expositionContracts } from '@/lib/exposition/schema';
import type { FigureSource } from '@/lib/figures/figure';
import { instanceFigures } from '@/lib/figures/instance';
import { registerFigures } from '@/lib/figures/registry';
import { samplingFigures } from '@/lib/figures/sampling';
import {
  createFlagCommand,
  deleteFlagCommand,
  describeFlagCommand,
  setFlagCommand,
} from '@/lib/flags/commands';
import { ofrepContracts } from '@/lib/flags/ofrep/schema';
import { flagSchedule } from '@/lib/flags/schedule';
import { flagContracts } from '@/lib/flags/schema';
import { annotateBans } from '@/lib/guard/annotate';
import { addToBlacklist, removeFromBlacklist } from '@/lib/guard/commands';
import { guardFigures } from '@/lib/guard/figures';
import { banEndings } from '@/lib/guard/lift';
import { blockProjects, unblockProjects } from '@/lib/guard/project-commands';
import { guardContracts } from '@/lib/guard/schema';
import { trafficContracts } from '@/lib/guard/traffic/schema';
import { metricContracts } from '@/lib/history/schema';
import { healthContracts, insightContracts } from '@/lib/insights/schema';
import { type JobDefinition, registerJob } from '@/lib/jobs/define';
import { registerScheduled, type ScheduledWork } from '@/lib/jobs/schedule';
import { jobContracts } from '@/lib/jobs/schema';
import { createKey } from '@/lib/keys/commands/create';
import { deleteKeyCommand } from '@/lib/keys/commands/delete';
import { importKeysCommand } from '@/lib/keys/commands/file/import';
import { duplicateKey, renameKey } from '@/lib/keys/commands/move';
import { setKeyTtl } from '@/lib/keys/commands/ttl';
import { updateKey } from '@/lib/keys/commands/update';
import { keyContracts } from '@/lib/keys/schema';
import { leaderboardContracts } from '@/lib/leaderboards/schema';
import { liveContracts } from '@/lib/live/schema';
import { lockContracts } from '@/lib/locks/schema';
import { metricFigures } from '@/lib/metrics/figures';
import { appMetricContracts } from '@/lib/metrics/schema';
import { nodeContracts } from '@/lib/nodes/schema';
import { stateContracts } from '@/lib/processes/schema';
import { profileJob } from '@/lib/profiler/job';
import { profilerContracts } from '@/lib/profiler/schema';
import { queueFigures } from '@/lib/queues/figures';
import { queueContracts } from '@/lib/queues/schema';
import { repairWindow, resetWindow } from '@/lib/rate-limits/commands';
import { rateLimitContracts } from '@/lib/rate-limits/schema';
import { clientContracts } from '@/lib/server/clients/schema';
import { serverContracts } from '@/lib/server/schema';
import { repairJob } from '@/lib/sessions/repair/commands';
import { repairContracts } from '@/lib/sessions/repair/schema';
import { revocationJob } from '@/lib/sessions/revocation/commands';
import { revocationContracts } from '@/lib/sessions/revocation/schema';
import { sessionContracts } from '@/lib/sessions/schema';
import { tokenJobs } from '@/lib/sessions/tokens/commands';
import { tokenContracts } from '@/lib/sessions/tokens/schema';
import { sessionUserContracts } from '@/lib/sessions/user/schema';
import { registerUndoable } from '@/lib/undo/registry';
import { viewContracts } from '@/lib/views/schema';
import { walkContracts } from '@/lib/walk/schema';

/**
 * What a domain contributes to the OpenAPI document, the job runner and undo, which do not import domains themselves.
 */
interface Domain {
  contracts: readonly Readonly<Record<string, Contract>>[];
  /** Its commands that have an `undo`. */
  undoable?: readonly AnyCommand[];
  jobs?: readonly JobDefinition[];
  scheduled?: readonly ScheduledWork[];
  /** What it measured, for Prometheus and alerts. */
  figures?: readonly FigureSource[];
}

/** All domains, in the order of the document. A test reports a domain that has a route and is missing here. */
const DOMAINS: readonly Domain[] = [
  { contracts: [healthContracts, insightContracts, capabilityContracts] },
  { contracts: [metricContracts], figures: [instanceFigures, samplingFigures] },
  { contracts: [expositionContracts] },
  { contracts: [walkContracts] },
  { contracts: [annotationContracts], undoable: [createAnnotation] },
  {
    contracts: [sessionContracts, sessionUserContracts, revocationContracts, repairContracts, tokenContracts],
    jobs: [revocationJob, repairJob, ...tokenJobs],
  },
  {
    contracts: [envContracts],
    undoable: [
      ...[setVariableCommand, createVariableCommand, deleteVariableCommand, renameVariableCommand],
      ...[importVariablesCommand, restoreVariablesCommand],
    ],
  },
  {
    contracts: [flagContracts, ofrepContracts],
    undoable: [setFlagCommand, createFlagCommand, deleteFlagCommand, describeFlagCommand],
    scheduled: [flagSchedule],
  },
  {
    contracts: [guardContracts, rateLimitContracts, trafficContracts],
    undoable: [
      ...[addToBlacklist, annotateBans, removeFromBlacklist, blockProjects, unblockProjects],
      ...[resetWindow, repairWindow],
    ],
    scheduled: [banEndings],
    figures: [guardFigures],
  },
  {
    contracts: [cacheContracts, hitRateGroup],
    undoable: [invalidate, setTtl],
    jobs: [sampleJob, invalidationJob, ttlJob, restorationJob],
    figures: [cacheFigures],
  },
  { contracts: [catalogContracts], jobs: [inferJob] },
  { contracts: [analysisContracts], jobs: [analysisJob] },
  {
    contracts: [conventionContracts],
    undoable: [waive, unwaive, fixCommand],
    jobs: [conventionsJob, fixJob],
    figures: [conventionFigures],
  },
  {
    contracts: [alertContracts, alertChannelContracts],
    undoable: [
      ...[createAlert, updateAlert, deleteAlert, silenceAlert, unsilenceAlert],
      ...[updateChannel, deleteChannel],
    ],
  },
  {
    contracts: [keyContracts],
    undoable: [
      ...[updateKey, setKeyTtl, deleteKeyCommand, renameKey, duplicateKey],
      ...[createKey, importKeysCommand],
    ],
  },
  {
    contracts: [entityContracts, presenceContracts],
    undoable: [deleteMessageCommand, setOfflineCommand],
    jobs: [checkJob],
    figures: [presenceFigures],
  },
  { contracts: [viewContracts] },
  { contracts: [lockContracts, stateContracts] },
  { contracts: [queueContracts, leaderboardContracts, counterContracts], figures: [queueFigures] },
  { contracts: [liveContracts] },
  { contracts: [commandLineContracts], undoable: [runLineCommand] },
  { contracts: [appMetricContracts], figures: [metricFigures] },
  { contracts: [nodeContracts] },
  { contracts: [serverContracts, clientContracts] },
  { contracts: [diagnosticContracts] },
  { contracts: [profilerContracts], jobs: [profileJob] },
  { contracts: [jobContracts] },
  { contracts: [auditContracts, { undo: undoContract }] },
  { contracts: [userContracts, apiTokenContracts, accountContracts] },
];

/** All operations, as /api/openapi.json lists them. */
export const allContracts: readonly Contract[] = DOMAINS.flatMap(({ contracts }) =>
  contracts.flatMap((group) => Object.values(group)),
);

/** Registers the jobs, schedules, undoable commands and figures of all domains. */
export const registerDomains = (): void => {
  for (const { undoable = [], jobs = [], scheduled = [], figures = [] } of DOMAINS) {
    registerUndoable(undoable);
    registerFigures(figures);
    for (const job of jobs) registerJob(job);
    for (const work of scheduled) registerScheduled(work);
  }
};
