import 'server-only';
import { z } from 'zod';
import { catalogOf, findConnection } from '@/lib/command/context';
import type { Outcome } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { type JobContext, type JobDefinition, PartialFailure } from '@/lib/jobs/define';
import { SECOND } from '@/lib/time';
import type { WalkCost } from '@/lib/walk/schema';
import { joinWalk } from '@/lib/walk/shared-walk';
import { type Checkpoint, deleteCheckpoint, readCheckpoint, writeCheckpoint } from './checkpoint';
import { AnalysisCollector } from './collector';
import { reportOf, toSummary } from './report';
import { type AnalysisReport, type AnalysisResult, analysisContracts } from './schema';
import { readReport, writeReport } from './stored-reports';

const payload = z.strictObject({ exact: z.boolean(), resume: z.string().nullable() });

/** Progress is in thousandths of the keyspace. */
const WHOLE = 1000;
const PROGRESS_MS = SECOND / 5;
const CHECKPOINT_MS = 3 * SECOND;

const BEGAN_AGAIN = {
  lost: 'What the earlier analysis had counted could not be read, so it began again.',
  restarted: 'The Redis server restarted, so it began again.',
};

/** Why an analysis ended half-way, as a sentence of its report. */
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

/** One analysis under way: what it has counted, and up to which place of the keyspace that is. */
class Running {
  private counted: AnalysisCollector | null = null;
  private place: string | null = null;
  private share = 0;
  /** The share at which this walk began. */
  private from = 0;
  /** What was counted is exactly what precedes `place`. */
  private isAtPlace = false;
  private reasons: string[] = [];
  private begun = 0;
  private savedAt = 0;
  private storedAt = performance.now();
  private readonly ctx: JobContext;
  private readonly exact: boolean;
  /** Where it goes on; null where it begins. */
  private kept: Checkpoint | null;

  constructor(ctx: JobContext, exact: boolean, kept: Checkpoint | null) {
    this.ctx = ctx;
    this.exact = kept?.counts.exact ?? exact;
    this.kept = kept;
  }

  private get name() {
    return { connection: this.ctx.connection.config.id, id: this.ctx.jobId };
  }

  private explain(reason: string): void {
    if (!this.reasons.includes(reason)) this.reasons.push(reason);
  }

  begin(): AnalysisCollector {
    const { kept, exact, ctx } = this;
    this.begun += 1;
    if (this.begun > 1) this.explain(BEGAN_AGAIN.restarted);
    this.from = kept?.share ?? 0;
    this.share = this.from;
    [this.place, this.isAtPlace] = [kept?.place ?? null, false];
    const counted = new AnalysisCollector(ctx.catalog, { exact, stored: kept?.counts });
    const add = counted.add.bind(counted);
    counted.add = (chunk) => {
      this.isAtPlace = false;
      add(chunk);
    };
    this.counted = counted;
    return counted;
  }

  /** The walk; one that goes on begins again where the server is another process by now. */
  async walk(): Promise<WalkCost> {
    const { connection, signal } = this.ctx;
    const join = () =>
      joinWalk(connection, {
        ...{ part: 'analysis', signal, isFaster: () => this.ctx.isFaster() },
        ...(this.kept ? { from: this.kept.place } : {}),
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

  lostEarlier(): void {
    this.explain(BEGAN_AGAIN.lost);
  }

  private onPlace(place: string | null): void {
    this.place = place;
    this.isAtPlace = true;
  }

  private async onShare(share: number): Promise<void> {
    this.share = this.from + (1 - this.from) * share;
    const now = performance.now();
    if (now - this.savedAt < PROGRESS_MS) return;
    this.savedAt = now;
    if (now - this.storedAt >= CHECKPOINT_MS) {
      this.storedAt = now;
      await this.store();
    }
    await this.ctx.progress(Math.floor(this.share * WHOLE), WHOLE, 0);
  }

  private async store(): Promise<void> {
    const { counted, place, share, ctx } = this;
    if (counted && place && this.isAtPlace)
      await writeCheckpoint(ctx.store, this.name, counted, { place, share });
  }

  private async report(walk: WalkCost | null): Promise<AnalysisReport> {
    const { ctx } = this;
    const counted = this.counted ?? this.begin();
    const report = await reportOf(ctx, counted, {
      ...{ id: ctx.jobId, at: ctx.now(), complete: walk !== null, share: walk ? 1 : this.share },
      ...{ scheduled: false, walk, reasons: this.reasons },
    });
    await writeReport(ctx.store, this.name.connection, report);
    return report;
  }

  async finish(walk: WalkCost): Promise<AnalysisReport> {
    const report = await this.report(walk);
    await deleteCheckpoint(this.ctx.store, this.name.connection, this.ctx.jobId);
    return report;
  }

  /** Keeps what was counted: a report of it, and the place to go on from. */
  async stop(error: unknown): Promise<AnalysisReport> {
    await this.store();
    this.explain(whyStopped(this.ctx.signal, error));
    return this.report(null);
  }
}

const run = async (
  ctx: JobContext,
  { exact, resume }: z.output<typeof payload>,
): Promise<Outcome<Record<string, unknown>>> => {
  const { store, connection } = ctx;
  const { id } = connection.config;
  const kept = resume === null ? null : await readCheckpoint(store, id, resume);
  const running = new Running(ctx, exact, kept);
  if (resume !== null && !kept) running.lostEarlier();
  await ctx.progress(0, WHOLE, 0);
  try {
    const report = await running.finish(await running.walk());
    if (resume !== null) await deleteCheckpoint(store, id, resume);
    return outcomeOf(report);
  } catch (error) {
    // Without the store nothing of it can be kept.
    const report = await running.stop(error).catch(() => null);
    throw report ? new PartialFailure(error, outcomeOf(report)) : error;
  }
};

const DIED = "The console's process ended half-way.";

/** analysis.start: analyses all keys. Nothing is written to the user's Redis. */
export const analysisJob: JobDefinition<typeof payload> = {
  action: analysisContracts.start.id,
  permission: 'analysis:run',
  payload,
  onReadOnly: true,
  isPaced: true,
  run,
  /** Reports what the process that died had counted at its last checkpoint. */
  interrupted: async (store, { jobId, connection }) => {
    const handle = findConnection(connection);
    const kept = await readCheckpoint(store, connection, jobId);
    if (!handle || !kept) return;
    // It died between its report and the end of its record.
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
