import 'server-only';
import type { Contract, Input, Result } from '@/lib/contract';
import type { Permission } from '@/lib/permissions';
import type {
  ConsoleContext,
  ConsoleWriteContext,
  ReadContext,
  RecordedReadContext,
  WriteContext,
} from './context';

/** What the audit log keeps besides the target: plain JSON, secrets only as digests. */
export type AuditJson = string | number | boolean | null | AuditJson[] | { [name: string]: AuditJson };

/** What a change did. */
export interface Outcome<R> {
  result: Omit<R, 'auditId' | 'undoUntil'>;
  before?: AuditJson;
  after?: AuditJson;
  /** What `undo` needs to take the change back; kept sealed in the store, so it may hold values. */
  undo?: AuditJson;
  /** The work goes on as a job, which writes the outcome under the same audit id. */
  continues?: boolean;
}

export interface Undone {
  undone: number;
  /** What could not be taken back because it changed since. */
  conflicts: { what: string; why: string }[];
  /** It goes on as this job, which marks the change as taken back when it is. */
  jobId?: string;
}

interface Common<C extends Contract, Read, Write> {
  contract: C;
  /** What the change is about, in one line for the audit log: no secret, no raw key. */
  target(input: Input<C>, ctx: Read): string | Promise<string>;
  /** Which connection a change of the console's own reaches after all: an undo, the end of a job. */
  reaches?(ctx: Read, input: Input<C>): Promise<string | null>;
  /** The input as the audit log keeps it. */
  redact(input: Input<C>): AuditJson;
  /** Whether it deletes or reaches more than one thing: then production asks for `confirm`. */
  needsConfirmation?(input: Input<C>): boolean;
  /** Whether this input changes nothing on the server after all: then a read-only connection allows it. */
  isNoOp?(ctx: Read, input: Input<C>): Promise<boolean>;
  /** Further permissions this input needs. */
  needs?(ctx: Read, input: Input<C>): Promise<Permission[]> | Permission[];
  /** Throws the 403 or 429 of a caller who is refused whatever the input says: it is counted, and no intent is written. */
  admits?(ctx: Read): Promise<void> | void;
  /** Answers `dryRun: true`: no intent is written and nothing can be changed. */
  preview?(ctx: Read, input: Input<C>): Promise<Omit<Result<C>, 'auditId' | 'undoUntil'>>;
  /** Instead of a preview: the job that `run` starts takes `dryRun` and changes nothing; both are on record. */
  dryRunIsJob?: true;
  run(ctx: Write, input: Input<C>): Promise<Outcome<Result<C>>>;
  /** Takes the change back with what `run` kept. Compare-and-set: what changed since is a conflict. */
  undo?(ctx: Write, kept: AuditJson): Promise<Undone>;
  /** Its undo puts one thing as it was and deletes nothing: the only one production asks no `confirm` for. */
  undoNeedsNoConfirmation?: true;
}

/** A change of one Redis. */
export type Command<C extends Contract = Contract> = Common<C, ReadContext, WriteContext> & {
  scope: 'connection';
};

/** A change of the console's own accounts. */
export type ConsoleCommand<C extends Contract = Contract> = Common<C, ConsoleContext, ConsoleWriteContext> & {
  scope: 'console';
};

/** A read that is on record like a change: what it shows is secret. */
export type RecordedRead<C extends Contract = Contract> = Common<C, ReadContext, RecordedReadContext> & {
  scope: 'recorded-read';
};

export type AnyCommand = Command | ConsoleCommand | RecordedRead;

export const defineCommand = <C extends Contract>(
  command: Common<C, ReadContext, WriteContext>,
): Command<C> => ({
  ...command,
  scope: 'connection',
});

export const defineConsoleCommand = <C extends Contract>(
  command: Common<C, ConsoleContext, ConsoleWriteContext>,
): ConsoleCommand<C> => ({ ...command, scope: 'console' });

/** Has no writer, and so is allowed on a read-only connection. */
export const defineRecordedRead = <C extends Contract>(
  command: Common<C, ReadContext, RecordedReadContext>,
): RecordedRead<C> => ({ ...command, scope: 'recorded-read' });
