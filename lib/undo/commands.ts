import 'server-only';
import { appendUndone } from '@/lib/audit/log';
import { findEntry } from '@/lib/audit/reads';
import { type AuditEntry, undoContract } from '@/lib/audit/schema';
import {
  type ConsoleContext,
  type ConsoleWriteContext,
  findConnection,
  type WriteContext,
  writeContext,
} from '@/lib/command/context';
import { type AnyCommand, defineConsoleCommand } from '@/lib/command/define';
import { forgetUndo, readUndo } from '@/lib/command/undo-record';
import { notFound, Problem } from '@/lib/errors';
import { allows } from '@/lib/permissions';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { undoableCommand } from './registry';

interface Undoable {
  entry: AuditEntry;
  command: AnyCommand;
  connection: ConnectionHandle | null;
}

const gone = (why: string): Problem => new Problem('conflict', `This change cannot be taken back: ${why}.`);

/** The change an undo is about. 404 when there is none the caller may take back, 409 when it cannot be. */
const findUndoable = async (ctx: ConsoleContext, auditId: string): Promise<Undoable> => {
  const entry = await findEntry(ctx.store, auditId);
  const command = entry ? undoableCommand(entry.action) : undefined;
  if (!entry || (command && !allows(ctx.actor.role, command.contract.permission)))
    throw notFound('This change');
  if (!command) throw gone('it is not of a kind that can be');
  if (entry.undoneBy) throw gone('it was taken back already');
  if (entry.outcome !== 'succeeded') throw gone('it did not succeed');
  const connection = entry.connection ? findConnection(entry.connection) : null;
  if (connection === undefined) throw gone(`connection "${entry.connection}" is no longer configured`);
  return { entry, command, connection };
};

const checkConnection = (connection: ConnectionHandle | null): void => {
  if (connection?.config.readOnly)
    throw new Problem(
      'read_only',
      `Connection "${connection.config.id}" is read-only: nothing can be changed through it.`,
    );
};

const contextOf = (
  ctx: ConsoleWriteContext,
  connection: ConnectionHandle | null,
): ConsoleWriteContext | WriteContext => {
  if (!connection) return ctx;
  const { actor, requestId, auditId, reason } = ctx;
  return writeContext({ actor, requestId }, connection, { auditId, reason });
};

/**
 * audit.undo: takes a change back with what it kept. Needs the permission of the change itself; compare-and-set,
 * so what was changed since is listed as a conflict and left alone.
 */
export const undoChange = defineConsoleCommand({
  contract: undoContract,
  target: ({ auditId }) => auditId,
  redact: ({ auditId }) => ({ auditId }),
  needs: async (ctx, { auditId }) => {
    const { command, connection } = await findUndoable(ctx, auditId);
    checkConnection(connection);
    return command.contract.permission === 'signed-in' || command.contract.permission === 'public'
      ? []
      : [command.contract.permission];
  },
  run: async (ctx, { auditId }) => {
    const { command, connection, entry } = await findUndoable(ctx, auditId);
    checkConnection(connection);
    const kept = await readUndo(ctx.store, auditId);
    if (kept === null) throw gone('what it replaced is no longer kept');
    const done = await command.undo!(contextOf(ctx, connection) as never, kept);
    if (done.undone > 0 || done.conflicts.length === 0) {
      await appendUndone(ctx.store, auditId, ctx.auditId);
      await forgetUndo(ctx.store, auditId);
    }
    return {
      result: done,
      before: { action: entry.action, target: entry.target },
      after: { undone: done.undone, conflicts: done.conflicts },
    };
  },
});
