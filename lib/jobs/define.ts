import 'server-only';
import type { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import type { Outcome } from '@/lib/command/define';
import type { Permission } from '@/lib/permissions';
import { processWide } from '@/lib/process-wide';
import type { Store } from '@/lib/redis/store';
import type { JOB_UNITS } from './schema';

/** The context of a job: a change's context, and the job's progress. */
export interface JobContext extends WriteContext {
  jobId: string;
  /** Aborts when somebody cancels the job or the process stops. */
  signal: AbortSignal;
  /** Whether a user asked for the faster pace. */
  isFaster(): boolean;
  /**
   * Saves how much is done, and how much the next chunk will do. Await it before each chunk and check `signal` after
   * it. It throws when the store cannot save it; nothing more may be changed then.
   */
  progress(done: number, total: number | null, pending: number): Promise<void>;
  /**
   * Called before a walk begins or restarts: repeats on a new primary what it has not received, so that the walk does
   * not count it twice.
   */
  follows(): Promise<void>;
  /**
   * Whether the current primary has all changes so far, and its replicas have confirmed them. Waits up to a minute.
   * Copies that could restore them may be deleted only afterwards.
   */
  confirmed(): Promise<boolean>;
}

/** A job failed after it had changed something; `outcome` is what it did. */
export class PartialFailure extends Error {
  constructor(
    cause: unknown,
    readonly outcome: Outcome<Record<string, unknown>>,
  ) {
    super('unfinished', { cause });
  }
}

/** A background job. It runs once and is never retried: nobody requested a second run, and one may do harm. */
export interface JobDefinition<Payload extends z.ZodType = z.ZodType> {
  /** The operationId that starts it. */
  action: string;
  /** Needed to start the job, and to see and cancel it. */
  permission: Permission;
  /**
   * The job's input. It may be stored by one version and run by another, so it is parsed again when the job starts. The
   * schema is strict: a field that this version does not know might have narrowed the work.
   */
  payload: Payload;
  /** The unit of its progress; keys by default. */
  unit?: (typeof JOB_UNITS)[number];
  /** Runs in the `urgent` queue, without waiting for other jobs: revocations and repairs. */
  urgent?: true;
  /** It processes keys under the scan budget, so users may request the faster pace. */
  isPaced?: true;
  /** May run on a read-only connection, where it changes nothing. */
  onReadOnly?: true;
  /** Its result is long: lists have only its `summary`. */
  isLong?: true;
  run(ctx: JobContext, payload: z.output<Payload>): Promise<Outcome<Record<string, unknown>>>;
  /** Called after the job's process died; `done` is what was last saved. */
  interrupted?(store: Store, died: InterruptedJob<z.output<Payload>>): Promise<void>;
}

export interface InterruptedJob<Payload = unknown> {
  jobId: string;
  auditId: string;
  connection: string;
  done: number;
  startedAt: number | null;
  payload: Payload;
}

const registry = processWide('jobs', () => new Map<string, JobDefinition>());

/** Called by wiring with the jobs of all domains. */
export const registerJob = (definition: JobDefinition): void => {
  registry().set(definition.action, definition);
};

export const jobDefinition = (action: string): JobDefinition | undefined => registry().get(action);
