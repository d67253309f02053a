import 'server-only';
import type { Contract, Input, Result } from '@/lib/contract';
import type { HistoryEvent } from '@/lib/history/schema';
import type { Permission } from '@/lib/permissions';
import type {
  ConsoleContext,
  ConsoleWriteContext,
  ReadContext,
  RecordedReadContext,
  WriteContext,
} from './context';

/** Additional data of an audit entry: plain JSON, with secrets as digests only. */
export type AuditJson = string | number | boolean | null | AuditJson[] | { [name: string]: AuditJson };

/** The result of a change. */
export interface Outcome<R> {
  result: Omit<R, 'auditId' | 'undoUntil'>;
  before?: AuditJson;
  after?: AuditJson;
  /** The data `undo` needs. It is stored sealed, so it may contain values. */
  undo?: AuditJson;
  /** A job continues the work and writes the outcome under the same audit id. */
  continues?: boolean;
}

export interface Undone {
  undone: number;
  /** Parts that were not undone, because they changed meanwhile. */
  conflicts: { what: string; why: string }[];
  /** The job that continues the undo. It marks the change as undone when it ends. */
  jobId?: string;
}

/** The parts of an audit entry that a mark on the charts may use. */
export interface MarkedChange {
  target: string | null;
  after: unknown;
  undone: boolean;
}

/** How much a change touches, as the users who decide on it see it: no secret. */
export interface Impact {
  /** Number of things; of an estimate its upper end. Null where nobody can count them in time. */
  count: number | null;
  /** Further facts, by the names of the operation's answer. */
  facts?: Record<string, string | number | boolean | null>;
}

interface Common<C extends Contract, Read, Write> {
  contract: C;
  /** The target of the change, as one line of the audit log: no secret, no raw key. */
  target(input: Input<C>, ctx: Read): string | Promise<string>;
  /** The connection that a change of the console's own data affects indirectly: an undo, or cancelling a job. */
  reaches?(ctx: Read, input: Input<C>): Promise<string | null>;
  /** The input as the audit log stores it. */
  redact(input: Input<C>): AuditJson;
  /** Whether it deletes, or affects more than one thing. Production then requires `confirm`. */
  needsConfirmation?(input: Input<C>): boolean;
  /** Whether this input leaves the server unchanged. A read-only connection then allows it. */
  isNoOp?(ctx: Read, input: Input<C>): Promise<boolean>;
  /** Permissions this input needs beyond the contract's. */
  needs?(ctx: Read, input: Input<C>): Promise<Permission[]> | Permission[];
  /**
   * Throws 403 or 429 for a caller who is refused whatever the input is. The refusal is counted and no intent is
   * written.
   */
  admits?(ctx: Read): Promise<void> | void;
  /**
   * Whether a user with a second factor has to give it again first, if that was more than ten minutes ago. Every
   * recorded read asks for it, because it shows secrets.
   */
  needsStepUp?(ctx: Read, input: Input<C>): Promise<boolean> | boolean;
  /** Answers `dryRun: true`: writes no intent and cannot change anything. */
  preview?(ctx: Read, input: Input<C>): Promise<Omit<Result<C>, 'auditId' | 'undoUntil'>>;
  /**
   * Answers an input that changes nothing, after authorisation: without intent, writer and the guards of changes. Null
   * for an input that changes something.
   */
  answer?(ctx: Read, input: Input<C>): Promise<Omit<Result<C>, 'auditId' | 'undoUntil'> | null>;
  /** How much this input would change. Needed for a limit of a role; shown with a request for approval. */
  impact?(ctx: Read, input: Input<C>): Promise<Impact>;
  /** Operations whose rules of approval count for this input too: it does the same in bulk, or in another way. */
  actsAs?(input: Input<C>): readonly string[];
  /** Instead of a preview: `run` starts a job that takes `dryRun`. Both runs get an audit entry. */
  dryRunIsJob?: true;
  run(ctx: Write, input: Input<C>): Promise<Outcome<Result<C>>>;
  /** Undoes the change from the data `run` returned. Compare-and-set: whatever changed since is a conflict. */
  undo?(ctx: Write, kept: AuditJson): Promise<Undone>;
  /** The permission for its undo, where the contract's permission is not enough, because it also admits reads. */
  undoPermission?: Permission;
  /**
   * The mark on the charts of its connection, for a change that may explain later events. Every viewer reads it: no
   * value and no secret.
   */
  chartMark?(change: MarkedChange): Pick<HistoryEvent, 'kind' | 'text'> | null;
  /** Its undo restores one thing and deletes nothing, so production requires no `confirm` for it. */
  undoNeedsNoConfirmation?: true;
  /** Its undo changes only the console's own data: a read-only connection allows it, and production without `confirm`. */
  undoOfConsole?: true;
}

/** A change of one Redis. */
export type Command<C extends Contract = Contract> = Common<C, ReadContext, WriteContext> & {
  scope: 'connection';
};

/** A change of the console's own accounts. */
export type ConsoleCommand<C extends Contract = Contract> = Common<C, ConsoleContext, ConsoleWriteContext> & {
  scope: 'console';
};

/** A read with an audit entry, because it shows secrets. */
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

/** Has no writer, so it is allowed on a read-only connection. */
export const defineRecordedRead = <C extends Contract>(
  command: Common<C, ReadContext, RecordedReadContext>,
): RecordedRead<C> => ({ ...command, scope: 'recorded-read' });
