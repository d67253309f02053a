import 'server-only';
import { requireStepUp } from '@/lib/access/second-factor/step-up';
import type { Actor } from '@/lib/actor';
import { appendIntent, completeEntry } from '@/lib/audit/log';
import { recordRefusal } from '@/lib/audit/record';
import type { Contract, Input, Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { maskSecrets } from '@/lib/keyspace/mask';
import { type Access, allows, may, type Permission } from '@/lib/permissions';
import { type ConnectionHandle, readOnlyReason } from '@/lib/redis/connections';
import { isInDoubt, isNotPermitted } from '@/lib/redis/failure';
import { namedRefusal } from '@/lib/redis/refusal';
import { iso } from '@/lib/time';
import { type Approval, approvalRecord, requireApproval } from './approval';
import { forgetCapabilities, requireCapable } from './capable';
import { markChange } from './chart-mark';
import {
  type Caller,
  type ConsoleContext,
  type ConsoleWriteContext,
  catalogOf,
  consoleContext,
  type ReadContext,
  readContext,
  type WriteContext,
  writeContext,
} from './context';
import type { AnyCommand, Command, ConsoleCommand, Outcome, RecordedRead } from './define';
import { storeUndo } from './undo-record';
import { parseInput } from './validate';

export interface Call {
  actor: Actor;
  requestId: string;
  /** The caller's own address; null outside HTTP. */
  address?: string | null;
  /** The connection that is changed; null for the console's own accounts. */
  connection: ConnectionHandle | null;
  /** Aborts when the caller disconnects. That ends only a preview. */
  signal?: AbortSignal;
  /** The input as it arrived, not yet validated. */
  raw: unknown;
  /** The approval of a request: the change then needs none, and its audit entry names both users. */
  approval?: Approval;
}

interface Change {
  reason?: string;
  confirm?: string;
  dryRun?: boolean;
}

type Refused = Pick<Call, 'actor' | 'requestId' | 'connection'>;

const refuse = async (
  call: Refused,
  contract: Contract,
  problem: Problem,
  detail: string,
): Promise<never> => {
  await recordRefusal({
    actor: call.actor,
    action: contract.id,
    connection: call.connection?.config.id ?? null,
    requestId: call.requestId,
    detail,
  });
  throw problem;
};

const refuseWithout = (call: Call, contract: Contract, needed: Access): Promise<never> =>
  refuse(
    call,
    contract,
    new Problem('forbidden', `This needs the permission ${needed}.`),
    `refused: needs ${needed}`,
  );

const authorise = async (call: Call, contract: Contract): Promise<void> => {
  if (!allows(call.actor.role, contract.permission)) await refuseWithout(call, contract, contract.permission);
};

const requireAlso = async (call: Call, contract: Contract, needed: readonly Permission[]): Promise<void> => {
  const missing = needed.find((permission) => !call.actor.role || !may(call.actor.role, permission));
  if (missing) await refuseWithout(call, contract, missing);
};

const admit = async (call: Call, command: AnyCommand, reads: ReadContext | ConsoleContext): Promise<void> => {
  try {
    await command.admits?.(reads as never);
  } catch (error) {
    if (!(error instanceof Problem) || (error.status !== 403 && error.status !== 429)) throw error;
    await refuse(call, command.contract, error, `refused: ${error.code}`);
  }
};

type ReadOnly = Awaited<ReturnType<typeof readOnlyReason>>;

/** A 423 for a connection that accepts no changes; null for others. */
export const readOnlyProblem = (connection: string, why: ReadOnly): Problem | null => {
  if (why === null) return null;
  const what =
    why === 'replica'
      ? `The server of connection "${connection}" is a replica, which is read-only`
      : `Connection "${connection}" is read-only`;
  return new Problem('read_only', `${what}. No changes are possible.`);
};

/** Refuses the call with 423 and records the refusal, where the connection is read-only. */
export const refuseReadOnly = async (call: Refused, contract: Contract, why: ReadOnly): Promise<void> => {
  const problem = readOnlyProblem(call.connection?.config.id ?? '', why);
  const what = why === 'replica' ? 'its server is a replica' : 'read-only connection';
  if (problem) await refuse(call, contract, problem, `refused: ${what}`);
};

/**
 * Throws 400 unless `confirm` repeats the connection's id. Production requires that for every change that deletes or
 * affects more than one thing.
 */
export const requireConfirmation = ({ config }: ConnectionHandle, confirm: string | undefined): void => {
  if (config.environment !== 'production' || confirm === config.id) return;
  const errors = [{ path: 'confirm', message: `Type ${config.id} to confirm.` }];
  throw new Problem(
    'confirmation_required',
    `This is production: send "confirm" with the connection's id, "${config.id}".`,
    { extensions: { errors, confirm: config.id } },
  );
};

/** Refuses changes through read-only connections, and unconfirmed ones in production. */
const guardConnection = async (
  call: Call,
  command: AnyCommand,
  reads: ReadContext | ConsoleContext,
  input: never,
): Promise<void> => {
  const { connection } = call;
  if (!connection || command.scope === 'recorded-read') return;
  const why = await readOnlyReason(connection);
  if (why && !(await command.isNoOp?.(reads as never, input)))
    await refuseReadOnly(call, command.contract, why);
  if (command.needsConfirmation?.(input)) requireConfirmation(connection, (input as Change).confirm);
};

const failureDetail = (thrown: unknown): string => {
  const error = namedRefusal(thrown);
  return error instanceof Problem
    ? error.message
    : 'Internal error. Search the server log for the request id.';
};

/** Runs the change between its audit intent and its outcome. */
const perform = async (
  command: AnyCommand,
  ctx: WriteContext | ConsoleWriteContext,
  input: never,
  on: { connection: string | null; target: string },
): Promise<Record<string, unknown>> => {
  let done: Outcome<unknown>;
  try {
    done = await command.run(ctx as never, input);
  } catch (error) {
    // The change may have been applied. The intent stays pending, which means exactly that.
    if (isInDoubt(error)) throw error;
    if ('connection' in ctx && isNotPermitted(error)) forgetCapabilities(ctx.connection);
    await completeEntry(ctx.store, { id: ctx.auditId, outcome: 'failed', detail: failureDetail(error) });
    throw error;
  }
  const result: Record<string, unknown> = { ...(done.result as object), auditId: ctx.auditId };
  if (done.continues) return result;
  let undoUntil: number | null = null;
  if (done.undo !== undefined && command.undo) {
    undoUntil = await storeUndo(ctx.store, ctx.auditId, done.undo).catch(() => null);
    if (undoUntil !== null) result.undoUntil = iso(undoUntil);
  }
  await completeEntry(ctx.store, {
    id: ctx.auditId,
    outcome: 'succeeded',
    before: done.before,
    after: done.after,
    undoUntil,
  });
  const { connection, target } = on;
  const change = { auditId: ctx.auditId, target, after: done.after, undone: false };
  await markChange(ctx.store, command, connection, change);
  return result;
};

interface Admitted<C extends Contract> {
  input: Input<C>;
  caller: Caller;
  reads: ReadContext | ConsoleContext;
}

/** Authorises and validates a call. Throws a `Problem` for every refusal, and records those for want of permission. */
const admitCall = async <C extends Contract>(
  command: AnyCommand,
  contract: C,
  call: Call,
  isApproved: boolean,
): Promise<Admitted<C>> => {
  await authorise(call, contract);
  const input = parseInput(contract, call.raw) as Input<C>;
  const { actor, requestId, address } = call;
  const isExempt = isApproved || (input as Change).dryRun === true || actor.kind === 'schedule';
  const caller: Caller = { actor, requestId, address, isApproved: isExempt };
  const reads = call.connection ? readContext(caller, call.connection) : consoleContext(caller);
  await admit(call, command, reads);
  await requireAlso(call, contract, (await command.needs?.(reads as never, input as never)) ?? []);
  return { input, caller, reads };
};

const requirePossible = async (
  call: Call,
  command: AnyCommand,
  reads: ReadContext | ConsoleContext,
  input: never,
): Promise<void> => {
  await guardConnection(call, command, reads, input);
  if (call.connection) await requireCapable(command.contract.id, call.connection, catalogOf(call.connection));
};

/**
 * What `runCommand` checks before it changes anything, without the rule of approvals: for a request for approval. The
 * context and the input, if the caller may make this change. 409 for an input that changes nothing.
 */
export const checkCommand = async (command: Command, call: Call & { connection: ConnectionHandle }) => {
  const { input, reads } = await admitCall(command as AnyCommand, command.contract, call, true);
  const ctx = reads as ReadContext;
  const isDry = (input as Change).dryRun === true;
  if (isDry || (await command.answer?.(ctx, input)))
    throw new Problem('conflict', 'This changes nothing, so it needs no approval.');
  await requirePossible(call, command as AnyCommand, reads, input as never);
  return { ctx, input };
};

/**
 * The only path of a change: authorise → validate → read-only guard → approval → audit intent → run → audit outcome.
 * Throws a `Problem` for every refusal. If the store cannot record the intent, nothing is changed.
 */
export const runCommand = async <C extends Contract>(
  command: Command<C> | ConsoleCommand<C> | RecordedRead<C>,
  call: Call,
): Promise<Result<C>> => {
  const anyCommand = command as unknown as AnyCommand;
  const { approval } = call;
  const { input, caller, reads } = await admitCall(
    anyCommand,
    command.contract,
    call,
    approval !== undefined,
  );
  if ((input as Change).dryRun && !command.preview && !command.dryRunIsJob)
    throw new Error(`${command.contract.id} takes dryRun and has no preview: it would change something.`);
  if ((input as Change).dryRun && command.preview) {
    const previewed = await command.preview({ ...reads, signal: call.signal } as never, input);
    return { ...previewed, auditId: null } as Result<C>;
  }
  if (command.scope === 'recorded-read' || (await command.needsStepUp?.(reads as never, input)))
    await requireStepUp(reads.store, call.actor, reads.now());
  const answered = await command.answer?.({ ...reads, signal: call.signal } as never, input);
  if (answered) return { ...answered, auditId: null } as Result<C>;
  await requirePossible(call, anyCommand, reads, input as never);
  await requireApproval(anyCommand, reads, input as never);

  const auditId = newId();
  // A reason may contain a pasted session token, which must not stay in the audit log for a year.
  const reason = maskSecrets((input as Change).reason?.trim() ?? '', false) || null;
  const on = {
    connection: call.connection?.config.id ?? (await command.reaches?.(reads as never, input)) ?? null,
    target: await command.target(input, reads as never),
  };
  const redacted = command.redact(input);
  await appendIntent(reads.store, {
    id: auditId,
    actor: call.actor,
    action: command.contract.id,
    ...on,
    reason,
    input: approval ? approvalRecord(redacted, approval) : redacted,
    requestId: call.requestId,
  });
  const change = { auditId, reason };
  const writes = command.scope === 'connection' && call.connection;
  const ctx = writes ? writeContext(caller, writes, change) : { ...reads, ...change };
  return (await perform(anyCommand, ctx, input as never, on)) as Result<C>;
};
