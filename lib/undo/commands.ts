import 'server-only';
import { appendUndone } from '@/lib/audit/log';
import { findEntry } from '@/lib/audit/reads';
import { type AuditEntry, undoContract } from '@/lib/audit/schema';
import { markChange } from '@/lib/command/chart-mark';
import {
  type ConsoleContext,
  type ConsoleWriteContext,
  findConnection,
  type WriteContext,
  writeContext,
} from '@/lib/command/context';
import { type AnyCommand, defineConsoleCommand } from '@/lib/command/define';
import { refuseReadOnly, requireConfirmation } from '@/lib/command/run';
import { deleteUndo, readUndo } from '@/lib/command/undo-record';
import { notFound, Problem } from '@/lib/errors';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { allows } from '@/lib/permissions';
import { type ConnectionHandle, readOnlyReason } from '@/lib/redis/connections';
import { withLease } from '@/lib/redis/lease';
import { SECOND } from '@/lib/time';
import { undoableCommand } from './registry';

interface Undoable {
  entry: AuditEntry;
  command: AnyCommand;
  connection: ConnectionHandle | null;
}

const notUndoable = (why: string): Problem =>
  new Problem('conflict', `This change cannot be undone: ${why}.`);

/** The change and its command. 404 if there is no such entry, 409 if its action has no undo. */
const findChange = async (
  ctx: ConsoleContext,
  auditId: string,
): Promise<{ entry: AuditEntry; command: AnyCommand }> => {
  const entry = await findEntry(ctx.store, auditId);
  if (!entry) throw notFound('This change');
  const command = undoableCommand(entry.action);
  if (!command) throw notUndoable('this action has no undo');
  return { entry, command };
};

const connectionOf = ({ connection }: AuditEntry): ConnectionHandle | null => {
  if (connection === null) return null;
  const handle = findConnection(connection);
  if (!handle) throw notUndoable(`connection "${connection}" is no longer configured`);
  return handle;
};

/** The change, if it can still be undone; 409 otherwise. */
const findUndoable = async (ctx: ConsoleContext, auditId: string): Promise<Undoable> => {
  const { entry, command } = await findChange(ctx, auditId);
  if (entry.undoneBy) throw notUndoable('it was already undone');
  // A cancelled job did not succeed, but what it did can be undone.
  if (entry.outcome !== 'succeeded' && entry.undoUntil === null)
    throw notUndoable(entry.outcome === 'pending' ? 'it is still running' : 'it did not succeed');
  return { entry, command, connection: connectionOf(entry) };
};

const checkConnection = async (ctx: ConsoleContext, { connection, command }: Undoable): Promise<void> => {
  if (!connection || command.undoOfConsole) return;
  const why = await readOnlyReason(connection);
  await refuseReadOnly({ ...ctx, connection }, undoContract, why);
};

const LEASE_MS = 30 * SECOND;

/** Lease per change: of two concurrent undos, the second gets 409. */
const withUndoLease = async <T>(
  { store }: ConsoleWriteContext,
  auditId: string,
  work: () => Promise<T>,
): Promise<T> => {
  const lease = consoleFamilies.lease.key({ name: `undo-${auditId}` });
  const done = await withLease(store, lease, { ms: LEASE_MS }, work);
  if (!done.ok) throw notUndoable('someone else is undoing it');
  return done.value;
};

const contextOf = (
  ctx: ConsoleWriteContext,
  connection: ConnectionHandle | null,
): ConsoleWriteContext | WriteContext => {
  if (!connection) return ctx;
  const { actor, requestId, auditId, reason } = ctx;
  // An undo only restores, and must not wait for a second user. Flags refuse theirs by themselves.
  return writeContext({ actor, requestId, isApproved: true }, connection, { auditId, reason });
};

const undo = async (ctx: ConsoleWriteContext, auditId: string) => {
  const undoable = await findUndoable(ctx, auditId);
  const { command, connection, entry } = undoable;
  await checkConnection(ctx, undoable);
  const data = await readUndo(ctx.store, auditId);
  if (data === null) throw notUndoable('its undo data has expired');
  const done = await command.undo!(contextOf(ctx, connection) as never, data);
  if (done.jobId) return { result: done, continues: true };
  if (done.undone > 0 || done.conflicts.length === 0) {
    await appendUndone(ctx.store, auditId, ctx.auditId);
    await deleteUndo(ctx.store, auditId);
    const { target, after } = entry;
    const change = { auditId: ctx.auditId, target, after, undone: true };
    await markChange(ctx.store, command, entry.connection, change);
  }
  return {
    result: done,
    before: { action: entry.action, target: entry.target },
    after: { undone: done.undone, conflicts: done.conflicts },
  };
};

/**
 * audit.undo: undoes a change with its stored undo data. Needs the permission of the change itself. Compare-and-set:
 * values changed since are conflicts and stay as they are. On production it needs the change's confirmation.
 */
export const undoChange = defineConsoleCommand({
  contract: undoContract,
  target: ({ auditId }) => auditId,
  reaches: async (ctx, { auditId }) => (await findEntry(ctx.store, auditId))?.connection ?? null,
  redact: ({ auditId }) => ({ auditId }),
  needs: async (ctx, { auditId, confirm }) => {
    const { contract, undoPermission } = (await findChange(ctx, auditId)).command;
    const permission = undoPermission ?? contract.permission;
    // Checked first, so users without the permission do not learn whether or why the change can be undone.
    if (permission !== 'public' && permission !== 'signed-in' && !allows(ctx.actor.role, permission))
      return [permission];
    const undoable = await findUndoable(ctx, auditId);
    const { command, connection } = undoable;
    await checkConnection(ctx, undoable);
    const isHarmless = command.undoNeedsNoConfirmation || command.undoOfConsole;
    if (connection && !isHarmless) requireConfirmation(connection, confirm);
    return [];
  },
  needsStepUp: async (ctx, { auditId }) => {
    const connection = connectionOf((await findChange(ctx, auditId)).entry);
    return connection?.config.environment === 'production';
  },
  run: (ctx, { auditId }) => withUndoLease(ctx, auditId, () => undo(ctx, auditId)),
});
