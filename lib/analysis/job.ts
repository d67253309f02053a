import 'server-only';
import { z } from 'zod';
import { catalogOf, findConnection } from '@/lib/command/context';
import type { Outcome } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { type JobContext, type JobDefinition, PartialFailure } from '@/lib/jobs/define';
import { shareProgress } from '@/lib/jobs/share-progress';
import { withoutStore } from '@/lib/redis/failure';
import { SECOND } from '@/lib/time';
import type { Collector, WalkedKeys } from '@/lib/walk/collector';
import type { WalkCost } from '@/lib/walk/schema';
import { joinWalk } from '@/lib/walk/shared-walk';
import { type Checkpoint, deleteCheckpoint, readCheckpoint, writeCheckpoint } from './checkpoint';
import { AnalysisCollector } from './collector';
import { reportOf, toSummary } from './report';
import { type AnalysisReport, type AnalysisResult, analysisContracts } from './schema';
import { readReport, writeReport } from './stored-reports';

const payload = z.strictObject({ exact: z.boolean(), resume: z.string().nullable() });

const CHECKPOINT_MS = 3 * SECOND;

const BEGAN_AGAIN = {
  lost: 'What the earlier analysis had counted could not be read, so it began again.',
  restarted: 'The Redis server restarted, so it began again.',
};

/** Why an analysis ended early, as a sentence of its report. */
const whyStopped = (signal: AbortSignal, error: unknown): string => {
  if (signal.aborted && signal.reason === 'cancelled') return 'Cancelled half-way.';
  if (signal.aborted) return 'Stopped half-way.';
  return error instanceof Problem ? error.message : 'It failed half-way; the server log has the job id.';
};

const outcomeOf = (report: AnalysisReport): Outcome<Record<string, unknown>> => {
  const { id, keys, memoryBytes, families, unclassified, complete, exact } = toSummary(report);
  const result: AnalysisResult = { id, keys, memoryBytes, families, unclassified, complete, exact };
  return { result, after: { keys, memoryBytes, families, unclassified, complete } };
};

/** A running analysis: its counts, and the place in the keyspace up to which they are complete. */
class Running {
  private counted: AnalysisCollector | null = null;
  /** Read but not counted yet: its place is unknown until all participants have processed it. */
  private unplaced: WalkedKeys | null = null;
  /** The counts cover exactly the keys before it; null at the end. */
  private place: string | null = null;
  private share = 0;
  /** Whether it has counted anything since it started or resumed. */
  private hasCounted = false;
  /** Set once all keys are counted. */
  private cost: WalkCost | null = null;
  private reasons: string[] = [];
  private begun = 0;
  private readonly saveShare: (share: number) => Promise<void>;
  private storedAt = performance.now();
  private readonly ctx: JobContext;
  private readonly exact: boolean;
  /** The analysis it continues. */
  private readonly resume: string | null;
  /** The state it continues; null for a new analysis. */
  private kept: Checkpoint | null;

  constructor(ctx: JobContext, { exact, resume }: z.output<typeof payload>, kept: Checkpoint | null) {
    this.ctx = ctx;
    this.saveShare = shareProgress(ctx);
    this.exact = kept?.counts.exact ?? exact;
    this.resume = resume;
    this.kept = kept;
    if (resume !== null && !kept) this.explain(BEGAN_AGAIN.lost);
  }

  private get name() {
    return { connection: this.ctx.connection.config.id, id: this.ctx.jobId };
  }

  private explain(reason: string): void {
    if (!this.reasons.includes(reason)) this.reasons.push(reason);
  }

  private begin(): Collector {
    const { kept, exact, ctx } = this;
    this.begun += 1;
    if (this.begun > 1) this.explain(BEGAN_AGAIN.restarted);
    [this.place, this.share] = [kept?.place ?? null, kept?.share ?? 0];
    [this.unplaced, this.hasCounted] = [null, false];
    this.counted = new AnalysisCollector(ctx.catalog, { exact, stored: kept?.counts });
    return {
      wants: this.counted.wants,
      add: (chunk) => {
        this.unplaced = chunk;
      },
    };
  }

  /** Runs the walk; a continued one restarts where another server process answers. */
  async walk(): Promise<WalkCost> {
    const { connection, signal } = this.ctx;
    const join = () =>
      joinWalk(connection, {
        part: 'analysis',
        signal,
        isFaster: () => this.ctx.isFaster(),
        ...(this.kept ? { from: this.kept.place, shareBefore: this.kept.share } : {}),
        begin: () => this.begin(),
        onPlace: (place) => this.onPlace(place),
        onShare: (share) => this.onShare(share),
      });
    try {
      return await join();
    } catch (error) {
      if (!this.kept || !(error instanceof Problem) || error.code !== 'cursor_expired') throw error;
      this.kept = null;
      this.explain(BEGAN_AGAIN.restarted);
      return await join();
    }
  }

  private onPlace(place: string | null): void {
    if (!this.counted || !this.unplaced) return;
    this.counted.add(this.unplaced);
    [this.unplaced, this.hasCounted] = [null, true];
    this.place = place;
  }

  private async onShare(share: number): Promise<void> {
    this.share = share;
    const now = performance.now();
    if (now - this.storedAt >= CHECKPOINT_MS) {
      this.storedAt = now;
      await this.store();
    }
    await this.saveShare(share);
  }

  private async store(): Promise<void> {
    const { counted, place, share, ctx } = this;
    if (counted && place) await writeCheckpoint(ctx.store, this.name, counted, { place, share });
  }

  private async report(counted: AnalysisCollector): Promise<AnalysisReport> {
    const { ctx, cost: walk } = this;
    const report = await reportOf(ctx, counted, {
      id: ctx.jobId,
      at: ctx.now(),
      complete: walk !== null,
      share: walk ? 1 : this.share,
      scheduled: false,
      walk,
      reasons: this.reasons,
    });
    await writeReport(ctx.store, this.name.connection, report);
    return report;
  }

  /** Stores the report. A failure after that does not fail the analysis. */
  async finish(walk: WalkCost): Promise<AnalysisReport> {
    const { ctx, resume } = this;
    this.cost = walk;
    const report = await this.report(this.counted!);
    for (const id of [ctx.jobId, ...(resume === null ? [] : [resume])])
      await deleteCheckpoint(ctx.store, this.name.connection, id).catch(withoutStore(undefined));
    return report;
  }

  /**
   * Stores the counts as a report, and the place to continue from. A complete count that could not be stored is stored
   * again, as complete. Null where nothing was counted.
   */
  async stop(error: unknown): Promise<AnalysisReport | null> {
    if (this.cost) return this.finish(this.cost);
    if (!this.counted || !this.hasCounted) return null;
    await this.store();
    this.explain(whyStopped(this.ctx.signal, error));
    return this.report(this.counted);
  }
}

const run: JobDefinition<typeof payload>['run'] = async (ctx, asked) => {
  const { store, connection } = ctx;
  const { resume } = asked;
  const kept = resume === null ? null : await readCheckpoint(store, connection.config.id, resume);
  const running = new Running(ctx, asked, kept);
  await shareProgress(ctx)(0);
  try {
    return outcomeOf(await running.finish(await running.walk()));
  } catch (error) {
    // Without the store nothing can be kept.
    const report = await running.stop(error).catch(() => null);
    if (report?.complete) return outcomeOf(report);
    throw report ? new PartialFailure(error, outcomeOf(report)) : error;
  }
};

const DIED = "The console's process ended half-way.";

/** analysis.start: analyses all keys. Writes nothing to the user's Redis. */
export const analysisJob: JobDefinition<typeof payload> = {
  action: analysisContracts.start.id,
  permission: 'analysis:run',
  unit: 'share',
  payload,
  onReadOnly: true,
  isPaced: true,
  run,
  /** Reports the counts at the last checkpoint of the process that died. */
  interrupted: async (store, { jobId, connection }) => {
    const handle = findConnection(connection);
    const kept = await readCheckpoint(store, connection, jobId);
    if (!handle || !kept) return;
    // It died after it stored its report and before it completed its record.
    if ((await readReport(store, connection, jobId))?.complete)
      return deleteCheckpoint(store, connection, jobId);
    const catalog = catalogOf(handle);
    const { counts, share } = kept;
    const counted = new AnalysisCollector(catalog, { exact: counts.exact, stored: counts });
    const ctx = { connection: handle, catalog, store, now: Date.now };
    const ended = { id: jobId, at: Date.now(), complete: false, share, scheduled: false, walk: null };
    await writeReport(store, connection, await reportOf(ctx, counted, { ...ended, reasons: [DIED] }));
  },
};
