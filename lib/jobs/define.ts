import 'server-only';
import type { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import type { Outcome } from '@/lib/command/define';
import type { Permission } from '@/lib/permissions';
import { processWide } from '@/lib/process-wide';
import type { Store } from '@/lib/redis/store';

/** What a job works with: a change's context, and its own progress. */
export interface JobContext extends WriteContext {
  jobId: string;
  /** Aborts when somebody cancels the job or the process stops. */
  signal: AbortSignal;
  /**
   * Saves what is done, and how much is about to be. To be awaited before each chunk, and `signal` looked at
   * after it: it throws when the store cannot take it, and then nothing more may be changed.
   */
  progress(done: number, total: number | null, pending: number): Promise<void>;
}

/** A job that failed on its way, with what it had done by then. */
export class PartialFailure extends Error {
  readonly outcome: Outcome<Record<string, unknown>>;

  constructor(cause: unknown, outcome: Outcome<Record<string, unknown>>) {
    super('unfinished', { cause });
    this.outcome = outcome;
  }
}

/** Long work. It is begun once and never tried again by itself: a second run might do harm, and nobody asked for it. */
export interface JobDefinition<Payload extends z.ZodType = z.ZodType> {
  /** The operationId that starts it. */
  action: string;
  /** Who may start it may see and cancel it. */
  permission: Permission;
  /**
   * What it is to do. It may lie in the store across a deploy, so it is parsed again when the job begins: strict, for
   * a field that is not known here might have narrowed the work.
   */
  payload: Payload;
  /** It waits for no other kind of work: revocations and repairs. */
  urgent?: true;
  /** It changes nothing where the connection is read-only, and so may run there. */
  onReadOnly?: true;
  run(ctx: JobContext, payload: z.output<Payload>): Promise<Outcome<Record<string, unknown>>>;
  /** What else is to be told of one whose process died on its way; `done` as it was last saved. */
  interrupted?(store: Store, died: InterruptedJob<z.output<Payload>>): Promise<void>;
}

export interface InterruptedJob<Payload = unknown> {
  auditId: string;
  connection: string;
  done: number;
  startedAt: number | null;
  payload: Payload;
}

const registry = processWide('jobs', () => new Map<string, JobDefinition>());

/** Wiring registers what the domains define: nothing below knows them all. */
export const registerJob = (definition: JobDefinition): void => {
  registry().set(definition.action, definition);
};

export const jobDefinition = (action: string): JobDefinition | undefined => registry().get(action);
