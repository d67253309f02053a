import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Outcome } from '@/lib/command/define';
import type { Permission } from '@/lib/permissions';
import { processWide } from '@/lib/process-wide';
import type { Store } from '@/lib/redis/store';

/** What a job works with: a change's context, and its own progress. */
export interface JobContext extends WriteContext {
  jobId: string;
  /** Aborts when somebody cancels the job or the process stops. */
  signal: AbortSignal;
  /**
   * Notes what is done, and how much is about to be. To be awaited before each chunk, and `signal` looked at
   * after it: it throws when the store cannot take it, and then nothing more may be changed.
   */
  progress(done: number, total: number | null, pending: number): Promise<void>;
}

/** A job that failed on its way, with what it had done by then. */
export class Unfinished extends Error {
  readonly outcome: Outcome<Record<string, unknown>>;

  constructor(cause: unknown, outcome: Outcome<Record<string, unknown>>) {
    super('unfinished', { cause });
    this.outcome = outcome;
  }
}

export interface JobDefinition {
  /** The operationId that starts it. */
  action: string;
  /** Who may start it may see and cancel it. */
  permission: Permission;
  /** How often it is tried in all while Redis is out of reach; 1 where a second run would do harm or surprise. */
  attempts: number;
  /** It changes nothing where the connection is read-only, and so may run there. */
  onReadOnly?: true;
  run(ctx: JobContext, data: AuditJson): Promise<Outcome<Record<string, unknown>>>;
  /** What else is to be told of one whose process died on its way; `done` as it was last noted. */
  interrupted?(store: Store, died: DiedJob): Promise<void>;
}

export interface DiedJob {
  auditId: string;
  connection: string;
  done: number;
  startedAt: number | null;
  data: AuditJson;
}

const registry = processWide('jobs', () => new Map<string, JobDefinition>());

/** Wiring registers what the domains define: nothing below knows them all. */
export const registerJob = (definition: JobDefinition): void => {
  registry().set(definition.action, definition);
};

export const jobDefinition = (action: string): JobDefinition | undefined => registry().get(action);
